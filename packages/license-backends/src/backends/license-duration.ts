import { Problem } from '@multi-drm/contracts';
import type { LicenseCall } from './license-backend';

/** How long a license may be used. */
export interface LicenseDuration {
  endsAt: Date;
  /** From now to `endsAt`; at least 1, since vendors read 0 as "no end". */
  seconds: number;
  /** From the first frame, if the policy sets it; never longer than `seconds`. */
  playbackSeconds?: number;
}

/** A license ends with the session, the availability window or the policy's duration, whichever is first. */
export function licenseDuration({ policy, licenseEndsAt, now }: LicenseCall): LicenseDuration {
  const { licenseDurationSeconds = Number.POSITIVE_INFINITY, playbackDurationSeconds } = policy;
  const milliseconds = Math.min(licenseEndsAt.getTime() - now.getTime(), licenseDurationSeconds * 1000);
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 1) throw new Problem('session_expired', 'The session has ended.');
  return {
    endsAt: new Date(now.getTime() + seconds * 1000),
    seconds,
    ...(playbackDurationSeconds === undefined ? {} : { playbackSeconds: Math.min(playbackDurationSeconds, seconds) }),
  };
}
