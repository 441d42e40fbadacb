import { z } from 'zod';
import { trackPolicy } from '../published/documents';

/**
 * `pol` of a license token: the resolved policy as far as one license needs it. `tracks` are the contract's `TrackPolicy`, the
 * allowed track types alone, those with equal rules in one entry, each with the rules of the token's DRM system alone. What
 * happens at the stream limit is left out: that was settled when the slot was reserved.
 */
export const signedPolicy = z.object({
  /** The name of a built-in template, or the id of a license profile, whose name may be long; null: a custom policy. */
  template: z.string().nullable(),
  maximumHeight: z.int(),
  tracks: z.array(trackPolicy).min(1),
  maximumConcurrentStreams: z.int().nullable(),
  licenseDurationSeconds: z.int().exactOptional(),
  playbackDurationSeconds: z.int().exactOptional(),
  /** The rights' window; absent: open on that side. */
  availableFrom: z.iso.datetime().exactOptional(),
  availableUntil: z.iso.datetime().exactOptional(),
});

export type SignedPolicy = z.infer<typeof signedPolicy>;
