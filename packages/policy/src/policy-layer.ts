import type { LicenseProfileDocument, PlaybackSchemas } from '@multi-drm/contracts';
import type { Source } from './decision-step';

type LicensePolicy = PlaybackSchemas['LicensePolicy'];

/** What happens to a new session if the viewer is at the stream limit. */
export type AtStreamLimit = 'reject' | 'evict-oldest';

/**
 * The policy that one source sets; absent members are not set. The availability window and the platforms come from the rights of a
 * license profile; built-in templates and custom policies have none.
 */
export interface LayerPolicy extends Omit<LicensePolicy, 'atStreamLimit'> {
  /** Set if the policy comes from a license profile. */
  licenseProfileId?: string;
  atStreamLimit?: AtStreamLimit;
  /** Inclusive, RFC 3339. */
  availableFrom?: string;
  /** Exclusive, RFC 3339. */
  availableUntil?: string;
  allowedClientPlatforms?: string[];
}

/** Looks up a template by its name: a built-in one or a license profile of the project. */
export type FindTemplate = (name: string) => LayerPolicy | undefined;

/** A policy with its source. */
export interface Layer {
  source: Source;
  /** The template's name; null for a custom policy. */
  template: string | null;
  policy: LayerPolicy;
}

export function profileSource(name: string): Source {
  return `license profile "${name}"`;
}

/** Combines a profile's policy and its rights. */
export function layerPolicyOf(profile: LicenseProfileDocument): LayerPolicy {
  const { licenseProfileId, maximumHeight, tracks, rights } = profile;
  if (rights === null) return { licenseProfileId, maximumHeight, tracks };
  const { maximumConcurrentStreams, atStreamLimit, licenseDurationSeconds, playbackDurationSeconds } = rights;
  const { availableFrom, availableUntil, allowedClientPlatforms } = rights;
  return {
    licenseProfileId,
    maximumHeight,
    tracks,
    atStreamLimit,
    ...(maximumConcurrentStreams === null ? {} : { maximumConcurrentStreams }),
    ...(licenseDurationSeconds === null ? {} : { licenseDurationSeconds }),
    ...(playbackDurationSeconds === null ? {} : { playbackDurationSeconds }),
    ...(availableFrom === null ? {} : { availableFrom }),
    ...(availableUntil === null ? {} : { availableUntil }),
    ...(allowedClientPlatforms === null ? {} : { allowedClientPlatforms }),
  };
}
