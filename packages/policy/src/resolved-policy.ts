import type { Source } from './decision-step';
import type { AtStreamLimit } from './policy-layer';
import type { DrmRules } from './strictest-rules';
import type { TrackType } from './track-heights';

export type TrackRules = { trackType: TrackType } & DrmRules;

/** The policy of a session after all layers and the ceiling. */
export interface ResolvedPolicy {
  /** The name of the selected template; null for a custom policy. */
  template: string | null;
  /** The template's id if it is a license profile; otherwise null. */
  licenseProfileId: string | null;
  /** Lines, 1 to 4320. */
  maximumHeight: number;
  /** In the order AUDIO, SD, HD, UHD1, UHD2. */
  allowedTrackTypes: TrackType[];
  /** One entry for each allowed track type, in the same order; each has rules for the session's DRM system. */
  tracks: TrackRules[];
  /** Concurrent streams of a viewer without its own limit, within `streamCeiling`; null: no limit. */
  maximumConcurrentStreams: number | null;
  /** The content's stream limit, which also caps the viewer's own limit; null: none. */
  streamCeiling: number | null;
  atStreamLimit: AtStreamLimit;
  licenseDurationSeconds?: number;
  playbackDurationSeconds?: number;
  /** Start of availability, inclusive, RFC 3339; null: unlimited. */
  availableFrom: string | null;
  /** End of availability, exclusive, RFC 3339; null: unlimited. */
  availableUntil: string | null;
  /** Null: any platform, including players that do not name theirs. */
  allowedClientPlatforms: string[] | null;
}

/** The values of a resolved policy that have a source. */
export type PolicyValue = Exclude<keyof ResolvedPolicy, 'template' | 'licenseProfileId'>;

/** The source that set each value. */
export type PolicySources = Record<PolicyValue, Source>;

/** When and on which platforms one source allows playback; null: no restriction. */
export interface Restriction {
  source: Source;
  availableFrom: string | null;
  availableUntil: string | null;
  allowedClientPlatforms: string[] | null;
}

/** A resolved policy with its sources. */
export interface Resolution {
  policy: ResolvedPolicy;
  sources: PolicySources;
  /** The policy's window and platforms are the intersection of these. */
  restrictions: Restriction[];
}
