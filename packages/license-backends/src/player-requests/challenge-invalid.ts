import { Problem } from '@multi-drm/contracts';

/** What a player sent is not a valid challenge; the detail says why. */
export function challengeInvalid(detail: string): Problem {
  return new Problem('license_challenge_invalid', detail);
}
