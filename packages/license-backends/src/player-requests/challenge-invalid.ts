import { Problem } from '@multi-drm/contracts';

/** What a player sent is no challenge; the detail says what is wrong with it. */
export function challengeInvalid(detail: string): Problem {
  return new Problem('license_challenge_invalid', detail);
}
