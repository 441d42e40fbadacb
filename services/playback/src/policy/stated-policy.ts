import type { LicenseProfileDocument, PlaybackSchemas } from '@multi-drm/contracts';
import type { Source } from './step';

type LicensePolicy = PlaybackSchemas['LicensePolicy'];

/** What happens to a new session where the viewer's streams are all in use. */
export type AtStreamLimit = 'reject' | 'evict-oldest';

/**
 * A policy as one source states it; an absent member says nothing. The window and the platforms come with the rights
 * of a license profile; built-in templates and custom policies have none.
 */
export interface StatedPolicy extends Omit<LicensePolicy, 'atStreamLimit'> {
  /** Of a license profile. */
  licenseProfileId?: string;
  atStreamLimit?: AtStreamLimit;
  /** The first moment, RFC 3339. */
  availableFrom?: string;
  /** The first moment that is too late, RFC 3339. */
  availableUntil?: string;
  allowedClientPlatforms?: string[];
}

/** Looks up a template by its name: a built-in one or a license profile of the project. */
export type FindTemplate = (name: string) => StatedPolicy | undefined;

/** A stated policy with where it comes from. */
export interface Layer {
  source: Source;
  /** The template's name; null for a custom policy. */
  template: string | null;
  policy: StatedPolicy;
}

export function profileSource(name: string): Source {
  return `license profile "${name}"`;
}

/** A profile's policy together with its rights. */
export function statedPolicyOf(profile: LicenseProfileDocument): StatedPolicy {
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
