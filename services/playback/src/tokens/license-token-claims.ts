import type { PlaybackSchemas } from '@multi-drm/contracts';
import { z } from 'zod';
import type { ResolvedPolicy } from '../policy/resolve-policy';
import { trackTypes } from '../policy/track-heights';

type DrmSystem = PlaybackSchemas['DrmSystem'];
type TrackPolicy = PlaybackSchemas['TrackPolicy'];

const trackPolicy = z.object({
  trackTypes: z.array(z.enum(trackTypes)).min(1),
  widevine: z
    .object({
      securityLevel: z.int(),
      hdcp: z.enum(['none', '1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '2.2', '2.3']),
    })
    .exactOptional(),
  playready: z
    .object({
      securityLevel: z.literal([150, 2000, 3000]),
      outputProtection: z.enum(['none', 'hdcp', 'hdcp-type1']),
    })
    .exactOptional(),
  fairplay: z.object({ hdcp: z.enum(['none', 'type0', 'type1']) }).exactOptional(),
  wiseplay: z.object({ securityLevel: z.int(), outputControl: z.int() }).exactOptional(),
}) satisfies z.ZodType<TrackPolicy>;

/**
 * `pol`: the resolved policy as far as one license needs it. `tracks` are the contract's `TrackPolicy`, the allowed
 * track types alone, those with equal rules in one entry, each with the rules of the token's DRM system alone. What
 * happens at the stream limit is left out: that was settled when the slot was reserved.
 */
const signedPolicy = z.object({
  template: z.string().nullable(),
  maximumHeight: z.int(),
  tracks: z.array(trackPolicy).min(1),
  maximumConcurrentStreams: z.int().nullable(),
  licenseDurationSeconds: z.int().exactOptional(),
  playbackDurationSeconds: z.int().exactOptional(),
});

export type SignedPolicy = z.infer<typeof signedPolicy>;

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
    drm: z.enum(['widevine', 'playready', 'fairplay', 'wiseplay']),
    pol: signedPolicy,
    jti: z.string(),
    iat: z.int(),
    nbf: z.int(),
    exp: z.int(),
    /** Reservation id. */
    rid: z.string(),
  })
  .refine(({ drm, pol }) => pol.tracks.every((track) => track[drm] !== undefined));

export type LicenseTokenClaims = z.infer<typeof licenseTokenClaims>;

/** What a token of this DRM system says of the policy. Throws where a track has no rules for the system. */
export function signedPolicyOf(policy: ResolvedPolicy, drmSystem: DrmSystem): SignedPolicy {
  const { tracks, allowedTrackTypes, atStreamLimit, ...signed } = policy;
  const byRules = new Map<string, TrackPolicy>();
  for (const { trackType, [drmSystem]: rules } of tracks) {
    if (rules === undefined) throw new Error(`the resolved policy has no ${drmSystem} rules for ${trackType}`);
    const key = JSON.stringify(rules);
    const entry = byRules.get(key) ?? { trackTypes: [], [drmSystem]: rules };
    entry.trackTypes.push(trackType);
    byRules.set(key, entry);
  }
  return { ...signed, tracks: [...byRules.values()] };
}
