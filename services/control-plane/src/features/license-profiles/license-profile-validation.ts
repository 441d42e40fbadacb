import { type ControlPlaneSchemas, type FieldErrors, invalidRequest } from '@multi-drm/contracts';
import type { Transaction } from '../../database/database';
import { lockActive } from '../../stores/lock-row';
import { platformCapabilities } from '../platform/platform-capabilities';

type TrackType = ControlPlaneSchemas['TrackType'];

interface Profile {
  name: string;
  tracks: ControlPlaneSchemas['TrackPolicy'][];
}

/**
 * Checks what a request sets of a license profile, beyond the format of its fields. Its rights stay active until the
 * transaction ends. Throws `invalid_request`.
 */
export async function requireValidProfile(
  transaction: Transaction,
  projectId: string,
  sent: ControlPlaneSchemas['UpdateLicenseProfileRequest'],
): Promise<void> {
  const errors = licenseProfileErrors(sent);
  const { rightsId } = sent;
  if (typeof rightsId === 'string' && !(await lockActive(transaction, 'rights', projectId, rightsId))) {
    errors.rightsId = ['must be active rights of the project'];
  }
  if (Object.keys(errors).length > 0) throw invalidRequest(errors);
}

/**
 * Validation errors of the license profile fields in a request, beyond their format. Whether the height excludes all
 * track types depends on the heights of an environment, so that is decided when a session is created.
 */
function licenseProfileErrors({ name, tracks }: Partial<Profile>): FieldErrors {
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
