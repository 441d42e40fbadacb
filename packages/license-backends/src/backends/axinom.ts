import { sign } from 'jsonwebtoken';
import { requireLicense, requireSuccess } from './answers';
import type { AxinomSettings } from './backend-settings';
import { challengeHeaders } from './challenge-headers';
import type { DrmSystem, LicenseBackend, LicenseCall } from './license-backend';
import { licenseDuration } from './license-duration';
import { type Rules, rulesOf } from './policy-rules';
import { policyNotExpressible } from './refusals';
import { requireServed } from './served-systems';
import { vendorTokenTimes, withoutFraction } from './vendor-token-times';

/** Axinom DRM: raw challenges with a license service message as a JWT beside (https://docs.axinom.com/services/drm/). */
export function axinom(settings: AxinomSettings): LicenseBackend {
  const communicationKey = Buffer.from(settings.communicationKey, 'base64');
  return {
    singleUseToken: false,
    prepare(call) {
      requireServed(call, 'axinom');
      const token = sign(licenseServiceMessage(settings.communicationKeyId, call), communicationKey, {
        algorithm: 'HS256',
        noTimestamp: true,
      });
      const headers = { ...challengeHeaders(call), 'x-axdrm-message': token };
      return { request: { url: settings.url, headers, body: call.challenge } };
    },
    unwrap(answer, { drmSystem }) {
      requireSuccess(answer, drmSystem);
      return requireLicense(answer.body, drmSystem);
    },
  };
}

function licenseServiceMessage(communicationKeyId: string, call: LicenseCall) {
  const { issuedAt, expiresAt } = vendorTokenTimes(call.now);
  return {
    version: 1,
    id: call.randomUuid(),
    com_key_id: communicationKeyId,
    begin_date: withoutFraction(issuedAt),
    expiration_date: withoutFraction(expiresAt),
    message: { type: 'entitlement_message', version: 2, license: licenseOf(call), ...keysOf(call) },
  };
}

/** `real_time_…`: playback stops when the license ends, where it would otherwise be asked for at the start alone. */
function licenseOf(call: LicenseCall) {
  const { endsAt, seconds, playbackSeconds } = licenseDuration(call);
  const playback = playbackSeconds === undefined ? {} : { playback_duration: playbackSeconds };
  const ofSystem =
    call.drmSystem === 'widevine'
      ? { real_time_duration_expiration: true, real_time_playback_expiration: true, ...playback }
      : { real_time_expiration: true, ...playback };
  return {
    expiration_datetime: endsAt.toISOString(),
    duration: seconds,
    allow_persistence: false,
    [call.drmSystem]: ofSystem,
  };
}

/** Each registered key with the usage policy of its rules; keys with equal rules share one. */
function keysOf(call: LicenseCall) {
  const names = new Map<string, string>();
  const policies: Record<string, unknown>[] = [];
  const inline: { id: string; usage_policy: string }[] = [];
  for (const key of call.keys) {
    const rules = usageRules(call, key);
    if (rules === undefined) continue;
    const text = JSON.stringify(rules);
    const name = names.get(text) ?? `rules-${names.size + 1}`;
    if (!names.has(text)) {
      names.set(text, name);
      policies.push({ name, [call.drmSystem]: rules });
    }
    inline.push({ id: key.keyId, usage_policy: name });
  }
  if (inline.length === 0) throw policyNotExpressible('the content has no key id registered');
  return { content_keys_source: { inline }, content_key_usage_policies: policies };
}

function usageRules(call: LicenseCall, key: LicenseCall['keys'][number]) {
  const { drmSystem } = call;
  const rulesFor = <System extends DrmSystem>(system: System) => rulesOf(key.trackTypes, call, system);
  if (drmSystem === 'widevine') return mapped(rulesFor('widevine'), widevineUsage);
  if (drmSystem === 'playready') return mapped(rulesFor('playready'), playReadyUsage);
  return mapped(rulesFor('fairplay'), ({ hdcp }) => ({ hdcp: hdcp.toUpperCase() }));
}

function mapped<Value, Result>(value: Value | undefined, map: (value: Value) => Result): Result | undefined {
  return value === undefined ? undefined : map(value);
}

/** Widevine's levels 1 to 5 by their names. */
const deviceSecurityLevels = [
  'SW_SECURE_CRYPTO',
  'SW_SECURE_DECODE',
  'HW_SECURE_CRYPTO',
  'HW_SECURE_DECODE',
  'HW_SECURE_ALL',
] as const;

function widevineUsage({ securityLevel, hdcp }: Rules<'widevine'>) {
  const level = deviceSecurityLevels[securityLevel - 1];
  if (level === undefined) throw policyNotExpressible(`Widevine security level ${securityLevel}`);
  return { device_security_level: level, ...(hdcp === 'none' ? {} : { hdcp }) };
}

/** PlayReady Compliance Rules, 3.6.5.7.2: HDCP Type Restriction; the data is a big-endian 1. */
const hdcpType1 = { id: 'ABB2C6F1-E663-4625-A945-972D17B231E7', config_data: 'AAAAAQ==' };

/** Output protection levels of uncompressed digital video: 100 plays anywhere, 300 where HDCP is engaged alone. */
function playReadyUsage({ securityLevel, outputProtection }: Rules<'playready'>) {
  return {
    min_device_security_level: securityLevel,
    uncompressed_digital_video_opl: outputProtection === 'none' ? 100 : 300,
    ...(outputProtection === 'hdcp-type1' ? { digital_video_output_protections: [hdcpType1] } : {}),
  };
}
