import { readClearKeyRequest } from '../player-requests/clear-key-request';
import type { LicenseBackend, LicenseTerms } from './license-backend';
import { licenseDuration } from './license-duration';
import { rulesByTrackType } from './policy-rules';
import { contentNotExpressible, noLicense, noRequestedKey, policyNotExpressible } from './refusals';

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
        return keyIds.has(kid) ? [{ kty: 'oct', k: key.toString('base64url'), kid }] : [];
      });
      if (keys.length === 0) throw noRequestedKey();
      return { license: Buffer.from(JSON.stringify({ keys, type })) };
    },
    unwrap() {
      throw noLicense();
    },
  };
}

/** Throws `NotExpressible` where there is no key that any request could be answered with. */
export function requireClearKeys(terms: LicenseTerms): void {
  if (terms.keys.every(({ key }) => key === null)) {
    throw contentNotExpressible('no key is kept with it, which ClearKey would answer with');
  }
  if (allowedKeys(terms).length === 0) throw policyNotExpressible('no key that is kept opens an allowed track');
}

/** The keys that are kept here, of tracks that the policy allows. */
function allowedKeys(terms: LicenseTerms): { keyId: string; key: Buffer }[] {
  const allowed = rulesByTrackType(terms, terms.drmSystem);
  return terms.keys.flatMap(({ keyId, trackTypes, key }) =>
    key !== null && trackTypes.some((trackType) => allowed.has(trackType)) ? [{ keyId, key }] : [],
  );
}
