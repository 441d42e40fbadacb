import { createCipheriv, createHash } from 'node:crypto';
import { z } from 'zod';
import { requireLicense, requireSuccess, widevineJsonLicense } from './answers';
import { type BackendDescriptor, type SettingsByType, textSetting, urlSetting } from './backend-descriptor';
import type { LicenseBackend, LicenseCall, LicenseTerms, TrackType } from './license-backend';
import { licenseDuration } from './license-duration';
import { type Rules, rulesByTrackType, rulesOf } from './policy-rules';
import { policyNotExpressible } from './refusals';
import { widevineHdcp } from './widevine-hdcp';

/**
 * Google's Widevine license service, to which a provider forwards challenges in a signed message ("Widevine DRM Proxy
 * Integration", https://www.widevine.com).
 */
export const widevineProxy = {
  settings: z.object({
    type: z.literal('widevine-proxy'),
    url: urlSetting,
    provider: textSetting,
    /** 256 bits in hexadecimal. */
    signingKey: z.string().regex(/^[0-9a-fA-F]{64}$/),
    /** 128 bits in hexadecimal. */
    signingIv: z.string().regex(/^[0-9a-fA-F]{32}$/),
    policyName: textSetting.exactOptional(),
  }),
  secrets: ['signingKey', 'signingIv'],
  systems: ['widevine'],
  plan: keySpecifications,
  create(settings): LicenseBackend {
    return {
      prepare(call) {
        const message = Buffer.from(JSON.stringify(messageOf(settings, call)));
        const body = {
          request: message.toString('base64'),
          signature: widevineSignature(settings, message),
          signer: settings.provider,
        };
        const headers = { 'content-type': 'application/json' };
        return { makeRequest: () => ({ url: settings.url, headers, body: Buffer.from(JSON.stringify(body)) }) };
      },
      unwrap(answer, { drmSystem }) {
        requireSuccess(answer, drmSystem);
        return requireLicense(widevineJsonLicense(answer.body), drmSystem);
      },
    };
  },
} satisfies BackendDescriptor<'widevine-proxy'>;

type WidevineProxySettings = SettingsByType['widevine-proxy'];

/** Encrypts the SHA-1 digest of the message with AES-256-CBC and PKCS#7 padding; returns base64. */
export function widevineSignature(
  { signingKey, signingIv }: Pick<WidevineProxySettings, 'signingKey' | 'signingIv'>,
  message: Buffer,
): string {
  const cipher = createCipheriv('aes-256-cbc', Buffer.from(signingKey, 'hex'), Buffer.from(signingIv, 'hex'));
  const digest = createHash('sha1').update(message).digest();
  return Buffer.concat([cipher.update(digest), cipher.final()]).toString('base64');
}

function messageOf({ provider, policyName }: WidevineProxySettings, call: LicenseCall) {
  const { seconds, playbackSeconds } = licenseDuration(call);
  return {
    payload: call.challenge.toString('base64'),
    content_id: Buffer.from(call.contentId).toString('base64'),
    provider,
    ...(policyName === undefined ? {} : { policy_name: policyName }),
    // Mutually exclusive with `allowed_track_types`. A track without a specification gets no key.
    content_key_specs: keySpecifications(call),
    policy_overrides: {
      can_play: true,
      can_persist: false,
      can_renew: false,
      license_duration_seconds: seconds,
      ...(playbackSeconds === undefined ? {} : { playback_duration_seconds: playbackSeconds }),
    },
  };
}

/**
 * Returns one specification for each allowed track type of each registered key. Without registered keys, returns one
 * for each allowed track type, since the license service can derive keys from content id and track type. Throws
 * `NotExpressible` if none is left.
 */
export function keySpecifications(terms: LicenseTerms) {
  const byTrackType = rulesByTrackType(terms, 'widevine');
  if (terms.keys.length === 0) return [...byTrackType].map(([trackType, rules]) => specification(trackType, rules));
  const specifications = terms.keys.flatMap((key) => {
    const rules = rulesOf(key.trackTypes, terms, 'widevine');
    if (rules === undefined) return [];
    const ids = {
      key_id: Buffer.from(key.keyId.replaceAll('-', ''), 'hex').toString('base64'),
      ...(key.key === null ? {} : { key: key.key.toString('base64') }),
    };
    const allowed = key.trackTypes.filter((trackType) => byTrackType.has(trackType));
    return allowed.map((trackType) => ({ ...specification(trackType, rules), ...ids }));
  });
  // An empty list would mean the service's defaults.
  if (specifications.length === 0) throw policyNotExpressible('no registered key decrypts an allowed track');
  return specifications;
}

function specification(trackType: TrackType, { securityLevel, hdcp }: Rules<'widevine'>) {
  return {
    track_type: trackType,
    security_level: securityLevel,
    required_output_protection: { hdcp: widevineHdcp(hdcp) },
  };
}
