import { sign } from 'jsonwebtoken';
import { z } from 'zod';
import { requireLicense, requireSuccess } from './answers';
import { type BackendDescriptor, urlSetting } from './backend-descriptor';
import { requestHeaders } from './challenge-headers';
import type {
  BackendAnswer,
  ContentKey,
  DrmSystem,
  LicenseBackend,
  LicenseCall,
  LicenseTerms,
} from './license-backend';
import { licenseDuration } from './license-duration';
import { type Rules, rulesOf } from './policy-rules';
import { challengeRefused, contentNotExpressible, policyNotExpressible, settingsRefused } from './refusals';
import { vendorTokenTimes, withoutFraction } from './vendor-token-times';

/** Axinom DRM: raw challenges plus a license service message as a JWT (https://docs.axinom.com/services/drm/). */
export const axinom = {
  settings: z.object({
    type: z.literal('axinom'),
    url: urlSetting,
    communicationKeyId: z.guid(),
    /** 32 bytes in base64. */
    communicationKey: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  }),
  secrets: ['communicationKey'],
  systems: ['widevine', 'playready', 'fairplay'],
  plan: axinomKeys,
  create(settings): LicenseBackend {
    const communicationKey = Buffer.from(settings.communicationKey, 'base64');
    return {
      prepare(call) {
        const entitlement = entitlementMessage(call);
        const makeRequest = () => {
          const message = licenseServiceMessage(settings.communicationKeyId, entitlement, call);
          const token = sign(message, communicationKey, { algorithm: 'HS256', noTimestamp: true });
          const headers = { ...requestHeaders(call), 'x-axdrm-message': token };
          return { url: settings.url, headers, body: call.challenge };
        };
        return { makeRequest };
      },
      unwrap(answer, { drmSystem }) {
        requireAccepted(answer);
        requireSuccess(answer, drmSystem);
        return requireLicense(answer.body, drmSystem);
      },
    };
  },
} satisfies BackendDescriptor<'axinom'>;

/**
 * The header `X-AxDRM-ErrorMessage` explains every error in English, more precisely than the status: PlayReady's
 * protocol answers every error with 500, and 400 stands for any invalid part of a request, including its token. Throws
 * if the header shows what is wrong. The header itself is never passed on.
 *
 * Source: Axinom, "License Acquisition API / Status Codes" (400 "Invalid license request", 403 "License denied"), and
 * "DRM troubleshooting" ("The request data does not represent a valid Widevine request").
 */
function requireAccepted({ status, headers }: BackendAnswer): void {
  const message = headers['x-axdrm-errormessage'] ?? '';
  if (status < 400) return;
  if (/license service message|x-axdrm-message|communication key|\b(?:jwt|token)\b/i.test(message)) {
    throw settingsRefused(status);
  }
  if (/^\s*invalid license request\b/i.test(message) || /does not represent a valid \w{1,30} request/i.test(message)) {
    throw challengeRefused(status);
  }
}

type EntitlementMessage = ReturnType<typeof entitlementMessage>;

function entitlementMessage(call: LicenseCall) {
  return { type: 'entitlement_message', version: 2, license: licenseOf(call), ...axinomKeys(call) };
}

function licenseServiceMessage(communicationKeyId: string, message: EntitlementMessage, call: LicenseCall) {
  const { issuedAt, expiresAt } = vendorTokenTimes(call.now);
  return {
    version: 1,
    id: call.randomUuid(),
    com_key_id: communicationKeyId,
    begin_date: withoutFraction(issuedAt),
    expiration_date: withoutFraction(expiresAt),
    message,
  };
}

/** With `real_time_…`, playback stops when the license ends; otherwise the end is only checked at the start. */
function licenseOf(call: LicenseCall) {
  const { endsAt, seconds, playbackSeconds } = licenseDuration(call);
  const playback = playbackSeconds === undefined ? {} : { playback_duration: playbackSeconds };
  const systemOptions =
    call.drmSystem === 'widevine'
      ? { real_time_duration_expiration: true, real_time_playback_expiration: true, ...playback }
      : { real_time_expiration: true, ...playback };
  return {
    expiration_datetime: endsAt.toISOString(),
    duration: seconds,
    allow_persistence: false,
    [call.drmSystem]: systemOptions,
  };
}

/**
 * Lists each registered key with its usage policy; keys with equal rules share one. Throws `NotExpressible` if no key
 * is left: Axinom issues licenses by key id only.
 */
export function axinomKeys(terms: LicenseTerms) {
  const names = new Map<string, string>();
  const policies: Record<string, unknown>[] = [];
  const inline: { id: string; usage_policy: string }[] = [];
  for (const key of terms.keys) {
    const rules = usageRules(terms, key);
    if (rules === undefined) continue;
    const text = JSON.stringify(rules);
    const name = names.get(text) ?? `rules-${names.size + 1}`;
    if (!names.has(text)) {
      names.set(text, name);
      policies.push({ name, [terms.drmSystem]: rules });
    }
    inline.push({ id: key.keyId, usage_policy: name });
  }
  if (terms.keys.length === 0) throw contentNotExpressible('Axinom requires key ids, and none is registered');
  if (inline.length === 0) throw policyNotExpressible('no registered key decrypts an allowed track');
  return { content_keys_source: { inline }, content_key_usage_policies: policies };
}

function usageRules(terms: LicenseTerms, key: ContentKey) {
  const { drmSystem } = terms;
  const rulesFor = <System extends DrmSystem>(system: System) => rulesOf(key.trackTypes, terms, system);
  if (drmSystem === 'widevine') return mapped(rulesFor('widevine'), widevineUsage);
  if (drmSystem === 'playready') return mapped(rulesFor('playready'), playReadyUsage);
  return mapped(rulesFor('fairplay'), ({ hdcp }) => ({ hdcp: hdcp.toUpperCase() }));
}

function mapped<Value, Result>(value: Value | undefined, map: (value: Value) => Result): Result | undefined {
  return value === undefined ? undefined : map(value);
}

/** Axinom's names of Widevine's security levels 1 to 5. */
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

/** PlayReady Compliance Rules, 3.6.5.7.2: HDCP Type Restriction; the data is 1 in big-endian order. */
const hdcpType1 = { id: 'ABB2C6F1-E663-4625-A945-972D17B231E7', config_data: 'AAAAAQ==' };

/** Output protection levels for uncompressed digital video: 100 allows any output, 300 requires HDCP. */
function playReadyUsage({ securityLevel, outputProtection }: Rules<'playready'>) {
  return {
    min_device_security_level: securityLevel,
    uncompressed_digital_video_opl: outputProtection === 'none' ? 100 : 300,
    ...(outputProtection === 'hdcp-type1' ? { digital_video_output_protections: [hdcpType1] } : {}),
  };
}
