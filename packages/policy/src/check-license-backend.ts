import type { ContentDocument, EnvironmentDocument, PlaybackSchemas, ProblemCode } from '@multi-drm/contracts';
import { type Checked, passed, refused } from './decision-step';
import type { ResolvedPolicy } from './resolved-policy';
import type { TrackType } from './track-heights';

type DrmSystem = PlaybackSchemas['DrmSystem'];

/** What is known about a license before a session exists. */
export interface PlannedLicense {
  drmSystem: DrmSystem;
  /** The allowed tracks, each with rules for the DRM system. */
  tracks: PlaybackSchemas['TrackPolicy'][];
  /** All keys of the content; `isKept` means that the key itself is stored, for ClearKey. */
  keys: { keyId: string; trackTypes: TrackType[]; isKept: boolean }[];
}

/** Why no license can be issued. `detail` is public. */
export interface LicenseRefusal {
  code: Extract<ProblemCode, 'license_policy_invalid' | 'drm_system_not_supported'>;
  detail: string;
}

/** Returns why a license backend of this type cannot issue the license; null if it can, or if the type is not known. */
export type FindLicenseRefusal = (backendType: string, license: PlannedLicense) => LicenseRefusal | null;

interface LicenseContext {
  drmSystem: DrmSystem;
  environment: Pick<EnvironmentDocument, 'drmSystems'>;
  content: Pick<ContentDocument, 'keys'>;
  findLicenseRefusal: FindLicenseRefusal;
}

/**
 * Refuses with `license_policy_invalid` or `drm_system_not_supported` if the environment's license backend could not issue a
 * license: such a session would only hold a slot. `findLicenseRefusal` knows what each backend requires.
 */
export function checkLicenseBackend(
  { tracks }: Pick<ResolvedPolicy, 'tracks'>,
  { drmSystem, environment, content, findLicenseRefusal }: LicenseContext,
): Checked {
  const type = environment.drmSystems.find((system) => system.drmSystem === drmSystem)?.backend ?? null;
  if (type === null)
    return passed('license_backend', 'environment', () => 'No license backend is published to check against.');
  const refusal = findLicenseRefusal(type, {
    drmSystem,
    tracks: tracks.map(({ trackType, ...rules }) => ({ trackTypes: [trackType], ...rules })),
    keys: content.keys.map(({ keyId, trackTypes, encryptedKey }) => ({
      keyId,
      trackTypes,
      isKept: encryptedKey !== null,
    })),
  });
  if (refusal !== null) return refused('license_backend', 'environment', refusal.code, refusal.detail);
  return passed('license_backend', 'environment', () => 'The license backend can issue licenses under the policy.');
}
