import { drmSystems } from '@multi-drm/contracts';
import { sign } from 'jsonwebtoken';
import { z } from 'zod';
import { base64License, ckcElement, isUtf8Text, requireLicense, requireSuccess, widevineJsonLicense } from './answers';
import { type BackendDescriptor, textSetting, urlSetting } from './backend-descriptor';
import { challengeOrForm } from './challenge-headers';
import { outputProtectionOf } from './drmtoday-output-protection';
import type { LicenseBackend, LicenseCall } from './license-backend';
import { licenseDuration } from './license-duration';
import { vendorTokenTimes } from './vendor-token-times';

/**
 * castLabs DRMtoday with upfront authorization: the challenge plus a JWT with the customer rights token
 * (https://docs.castlabs.com, "License Delivery Authorization"). No `Authorization` header and no custom data are sent.
 */
export const drmToday = {
  settings: z.object({
    type: z.literal('drmtoday'),
    url: urlSetting,
    merchant: textSetting,
    sharedSecretId: textSetting,
    /** In hexadecimal. */
    sharedSecret: z.string().regex(/^(?:[0-9a-fA-F]{2}){16,256}$/),
  }),
  secrets: ['sharedSecret'],
  systems: drmSystems,
  plan: outputProtectionOf,
  create(settings): LicenseBackend {
    const sharedSecret = Buffer.from(settings.sharedSecret, 'hex');
    return {
      prepare(call) {
        const rights = customerRights(call);
        const { headers, body } = challengeOrForm(call);
        const makeRequest = () => {
          const token = sign(claimsOf(settings.merchant, rights, call), sharedSecret, {
            algorithm: 'HS256',
            keyid: settings.sharedSecretId,
          });
          return { url: settings.url, headers: { ...headers, 'x-dt-auth-token': token }, body };
        };
        return { makeRequest };
      },
      unwrap(answer, { drmSystem }) {
        requireSuccess(answer, drmSystem);
        return requireLicense(unwrapped(answer.body, drmSystem), drmSystem);
      },
    };
  },
} satisfies BackendDescriptor<'drmtoday'>;

/**
 * Widevine licenses come as JSON unless the URL has `specConform=true`, FairPlay licenses as `<ckc>` or base64.
 * Licenses of both are binary, so anything that is not text is returned unchanged.
 */
function unwrapped(body: Buffer, drmSystem: LicenseCall['drmSystem']): Buffer {
  if (!isUtf8Text(body)) return body;
  if (drmSystem === 'widevine') return widevineJsonLicense(body);
  if (drmSystem === 'fairplay') return ckcElement(body) ?? base64License(body.toString('latin1'));
  return body;
}

function claimsOf(merchant: string, rights: ReturnType<typeof customerRights>, call: LicenseCall) {
  const { issuedAt, expiresAt } = vendorTokenTimes(call.now);
  const { subject: userId, sessionId } = call;
  return {
    // Accepted once.
    jti: call.randomUuid(),
    iat: issuedAt,
    exp: expiresAt,
    // Both are JSON strings.
    optData: JSON.stringify({ merchant, userId, sessionId }),
    crt: JSON.stringify(rights),
  };
}

/**
 * Always a rental, since every license ends. `relativeExpiration` is an ISO 8601 duration, `playDuration` is in
 * milliseconds.
 */
function customerRights(call: LicenseCall) {
  const { seconds, playbackSeconds = seconds } = licenseDuration(call);
  return {
    assetId: call.contentId,
    profile: { type: 'rental', relativeExpiration: `PT${seconds}S`, playDuration: playbackSeconds * 1000 },
    ...outputProtectionOf(call),
    // Defaults to true.
    storeLicense: false,
  };
}
