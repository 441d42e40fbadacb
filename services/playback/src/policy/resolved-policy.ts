import type { DrmRules, TrackType } from '@multi-drm/contracts';
import type { Restriction } from './availability';
import type { AtStreamLimit } from './stated-policy';
import type { Source } from './step';

export type TrackRules = { trackType: TrackType } & DrmRules;

/** The one policy of a session. */
export interface ResolvedPolicy {
  /** The name of the template that was selected; null for a custom policy. */
  template: string | null;
  /** The id of the template where it is a license profile of the project. */
  licenseProfileId: string | null;
  /** Lines, 1 to 4320. */
  maximumHeight: number;
  /** In the order AUDIO, SD, HD, UHD1, UHD2. */
  allowedTrackTypes: TrackType[];
  /** One entry for each allowed track type, in the same order; each has rules for the session's DRM system. */
  tracks: TrackRules[];
  /** Streams at once for a viewer without a limit of its own, within `streamCeiling`; null: no limit. */
  maximumConcurrentStreams: number | null;
  /** The content's limit of streams, which the viewer's own limit does not exceed either; null: none. */
  streamCeiling: number | null;
  atStreamLimit: AtStreamLimit;
  licenseDurationSeconds?: number;
  playbackDurationSeconds?: number;
  /** The first moment at which the content may play, RFC 3339; null: any. */
  availableFrom: string | null;
  /** The first moment at which it may not any more, RFC 3339; null: never. */
  availableUntil: string | null;
  /** Null: any, and players that name none. */
  allowedClientPlatforms: string[] | null;
}

/** The values of a resolved policy that a source sets. */
export type PolicyValue = Exclude<keyof ResolvedPolicy, 'template' | 'licenseProfileId'>;

/** Which source set each value. */
export type PolicySources = Record<PolicyValue, Source>;

/** A resolved policy with where it comes from. */
export interface Resolution {
  policy: ResolvedPolicy;
  sources: PolicySources;
  /** What the window and the platforms of the policy are the intersection of. */
  restrictions: Restriction[];
}
