import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { decodeBase64 } from './base64';
import { challengeInvalid } from './challenge-invalid';

/** W3C Encrypted Media Extensions, section 9.1.3: License Request Format. */
const clearKeyRequest = z.object({
  kids: z.custom<string[]>(isListOfStrings),
  type: z.enum(['temporary', 'persistent-license']).default('temporary'),
});

export interface ClearKeyRequest {
  /** In base64url without padding. */
  keyIds: ReadonlySet<string>;
  type: 'temporary';
}

/** Parses `{kids, type}`. Throws `license_challenge_invalid`. */
export function readClearKeyRequest(body: Buffer): ClearKeyRequest {
  const parsed = clearKeyRequest.safeParse(jsonOf(body));
  if (!parsed.success)
    throw challengeInvalid('A ClearKey request must be JSON with `kids`, a list of key ids in base64url.');
  const { kids, type } = parsed.data;
  if (type !== 'temporary')
    throw challengeInvalid('Persistent licenses are not supported: `type` must be `temporary`.');
  const keyIds = kids.map((kid) => {
    const bytes = decodeBase64(kid);
    if (bytes === undefined) throw challengeInvalid('A key id in `kids` is not base64url.');
    return bytes.toString('base64url');
  });
  return { keyIds: new Set(keyIds), type };
}

/**
 * Checks the list as a whole: an item schema would report an error for each of up to 30,000 items that fit into 64 KiB.
 */
function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

function jsonOf(body: Buffer): unknown {
  if (!isUtf8(body)) throw challengeInvalid('The ClearKey request is not UTF-8.');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw challengeInvalid('The ClearKey request is not JSON, or is truncated.');
  }
}
