import type { DrmSystem, LicenseCall } from '../backends/license-backend';
import { challengeInvalid } from './challenge-invalid';
import { readClearKeyRequest } from './clear-key-request';
import { readSpc } from './fairplay-request';
import { readPlayReadyRequest } from './playready-request';
import { requireWidevineMessage } from './widevine-request';

export type PlayerChallenge = Pick<LicenseCall, 'challenge' | 'challengeHeaders'>;

interface PlayerRequest {
  drmSystem: DrmSystem;
  /** Whether the environment uses ClearKey for the DRM system. */
  clearKey: boolean;
  /** At most 64 KiB. */
  body: Buffer;
}

/**
 * Extracts the raw challenge from a player's request. Ignores the content type: players use all kinds of them, and the
 * formats can be told apart. Throws `license_challenge_invalid`.
 */
export function readChallenge({ drmSystem, clearKey, body }: PlayerRequest): PlayerChallenge {
  if (body.length === 0) throw challengeInvalid('The body is empty; it must be the challenge.');
  if (clearKey) {
    readClearKeyRequest(body);
    return { challenge: body, challengeHeaders: {} };
  }
  if (drmSystem === 'playready') return readPlayReadyRequest(body);
  if (drmSystem === 'fairplay') return { challenge: readSpc(body), challengeHeaders: {} };
  if (drmSystem === 'widevine') requireWidevineMessage(body);
  return { challenge: body, challengeHeaders: {} };
}
