import { drmSystems, type PlaybackSchemas } from '@multi-drm/contracts';
import { type ResolvedPolicy, type SignedPolicy, signedPolicy } from '@multi-drm/policy';
import { z } from 'zod';

type DrmSystem = PlaybackSchemas['DrmSystem'];
type TrackPolicy = PlaybackSchemas['TrackPolicy'];

/** The claims of a license token. Times are seconds since 1970; unknown claims are dropped. */
export const licenseTokenClaims = z
  .object({
    iss: z.string(),
    aud: z.string(),
    /** The subject of the session. */
    sub: z.string(),
    /** Session id. */
    sid: z.string(),
    /** Environment id. */
    env: z.string(),
    /** Content id. */
    cid: z.string(),
    drm: z.enum(drmSystems),
    pol: signedPolicy,
    jti: z.string(),
    iat: z.int(),
    nbf: z.int(),
    exp: z.int(),
    /** Reservation id. */
    rid: z.string(),
    /** A part of the session's record, which only this service reads. Absent if it did not fit. */
    rec: z.unknown().optional(),
  })
  .refine(({ drm, pol }) => pol.tracks.every((track) => track[drm] !== undefined));

export type LicenseTokenClaims = z.infer<typeof licenseTokenClaims>;

/** The part of the policy for a token of this DRM system. Throws if a track has no rules for the DRM system. */
export function signedPolicyOf(policy: ResolvedPolicy, drmSystem: DrmSystem): SignedPolicy {
  const { maximumHeight, maximumConcurrentStreams, licenseDurationSeconds, playbackDurationSeconds } = policy;
  const { availableFrom, availableUntil } = policy;
  const byRules = new Map<string, TrackPolicy>();
  for (const { trackType, [drmSystem]: rules } of policy.tracks) {
    if (rules === undefined) throw new Error(`the resolved policy has no ${drmSystem} rules for ${trackType}`);
    const key = JSON.stringify(rules);
    const entry = byRules.get(key) ?? { trackTypes: [], [drmSystem]: rules };
    entry.trackTypes.push(trackType);
    byRules.set(key, entry);
  }
  return {
    template: policy.licenseProfileId ?? policy.template,
    maximumHeight,
    tracks: [...byRules.values()],
    maximumConcurrentStreams,
    ...(licenseDurationSeconds === undefined ? {} : { licenseDurationSeconds }),
    ...(playbackDurationSeconds === undefined ? {} : { playbackDurationSeconds }),
    ...(availableFrom === null ? {} : { availableFrom }),
    ...(availableUntil === null ? {} : { availableUntil }),
  };
}
