import type { ControlPlaneSchemas, FieldErrors } from '@multi-drm/contracts';
import { platformCapabilities } from '../platform/platform-capabilities';

type TrackType = ControlPlaneSchemas['TrackType'];

interface Profile {
  name: string;
  tracks: ControlPlaneSchemas['TrackPolicy'][];
}

/**
 * Validation errors of the license profile fields in a request, beyond their format. Whether the height excludes all
 * track types depends on the heights of an environment, so that is decided when a session is created.
 */
export function licenseProfileErrors({ name, tracks }: Partial<Profile>): FieldErrors {
  return {
    ...(name === undefined ? {} : nameErrors(name)),
    ...(tracks === undefined ? {} : repeatErrors(tracks)),
  };
}

function nameErrors(name: string): FieldErrors {
  return platformCapabilities.policyTemplates.includes(name) ? { name: ['is the name of a built-in template'] } : {};
}

function repeatErrors(tracks: Profile['tracks']): FieldErrors {
  const errors: FieldErrors = {};
  const places = new Map<TrackType, number>();
  for (const [index, { trackTypes }] of tracks.entries()) {
    for (const trackType of trackTypes) {
      const first = places.get(trackType);
      if (first === undefined) places.set(trackType, index);
      else {
        const field = `tracks[${index}].trackTypes`;
        errors[field] = [...(errors[field] ?? []), `repeats ${trackType} of tracks[${first}]`];
      }
    }
  }
  return errors;
}
