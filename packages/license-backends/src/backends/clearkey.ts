import { drmSystems } from '@multi-drm/contracts';
import { z } from 'zod';
import { readClearKeyRequest } from '../player-requests/clear-key-request';
import type { BackendDescriptor } from './backend-descriptor';
import type { LicenseBackend, LicenseTerms } from './license-backend';
import { licenseDuration } from './license-duration';
import { rulesByTrackType } from './policy-rules';
import { contentNotExpressible, noLicense, noRequestedKey, policyNotExpressible } from './refusals';

/**
 * Clear Key (W3C Encrypted Media Extensions, section 9.1), answered from stored content keys: no server, no vendor, no
 * protection. For development environments only, which callers must ensure.
 */
export const clearKey = {
  settings: z.object({ type: z.literal('clearkey') }),
  secrets: [],
  /** For any DRM system that it replaces. */
  systems: drmSystems,
  plan: requireClearKeys,
  create(): LicenseBackend {
    return {
      answerType: 'application/json',
      prepare(call) {
        // Clear Key licenses do not expire, so none is issued after the end.
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
  },
} satisfies BackendDescriptor<'clearkey'>;

/** Throws `NotExpressible` if no key could ever be returned. */
function requireClearKeys(terms: LicenseTerms): void {
  if (terms.keys.every(({ key }) => key === null)) {
    throw contentNotExpressible('ClearKey requires stored content keys, and there are none');
  }
  if (allowedKeys(terms).length === 0) throw policyNotExpressible('no stored key decrypts an allowed track');
}

/** The stored keys of tracks that the policy allows. */
function allowedKeys(terms: LicenseTerms): { keyId: string; key: Buffer }[] {
  const allowed = rulesByTrackType(terms, terms.drmSystem);
  return terms.keys.flatMap(({ keyId, trackTypes, key }) =>
    key !== null && trackTypes.some((trackType) => allowed.has(trackType)) ? [{ keyId, key }] : [],
  );
}
