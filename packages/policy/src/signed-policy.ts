import { trackPolicy } from '@multi-drm/contracts';
import { z } from 'zod';

/**
 * The claim `pol` of a license token: the part of the resolved policy that licenses need. `tracks` uses the contract's
 * `TrackPolicy`, but has only the allowed track types, one entry per set of equal rules, and only the rules of the
 * token's DRM system. The behavior at the stream limit is left out, since it was settled when the slot was reserved.
 */
export const signedPolicy = z.object({
  /**
   * The name of a built-in template, or the id of a license profile, whose name may be long; null for a custom policy.
   */
  template: z.string().nullable(),
  maximumHeight: z.int(),
  tracks: z.array(trackPolicy).min(1),
  maximumConcurrentStreams: z.int().nullable(),
  licenseDurationSeconds: z.int().exactOptional(),
  playbackDurationSeconds: z.int().exactOptional(),
  /** The availability window; an absent time leaves that side open. */
  availableFrom: z.iso.datetime().exactOptional(),
  availableUntil: z.iso.datetime().exactOptional(),
});

export type SignedPolicy = z.infer<typeof signedPolicy>;
