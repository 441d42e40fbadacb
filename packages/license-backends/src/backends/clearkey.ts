import { readClearKeyRequest } from '../player-requests/clear-key-request';
import type { LicenseBackend, LicenseCall } from './license-backend';
import { licenseDuration } from './license-duration';
import { rulesByTrackType } from './policy-rules';
import { noLicense, noRequestedKey } from './refusals';

/**
 * Clear Key (W3C Encrypted Media Extensions, section 9.1) from the content keys kept here: no server, no vendor, no
 * protection. For development environments alone; who makes a backend of settings sees to that.
 */
export function clearKey(): LicenseBackend {
  return {
    answerType: 'application/json',
    prepare(call) {
      // Clear Key has no end of a license; one that is over is not given.
      licenseDuration(call);
      const { keyIds, type } = readClearKeyRequest(call.challenge);
      const keys = allowedKeys(call).flatMap(({ keyId, key }) => {
        const kid = Buffer.from(keyId.replaceAll('-', ''), 'hex').toString('base64url');
        return key !== null && keyIds.has(kid) ? [{ kty: 'oct', k: key.toString('base64url'), kid }] : [];
      });
      if (keys.length === 0) throw noRequestedKey();
      return { license: Buffer.from(JSON.stringify({ keys, type })) };
    },
    unwrap() {
      throw noLicense();
    },
  };
}

function allowedKeys(call: LicenseCall): LicenseCall['keys'] {
  const allowed = rulesByTrackType(call, call.drmSystem);
  return call.keys.filter(({ trackTypes }) => trackTypes.some((trackType) => allowed.has(trackType)));
}
