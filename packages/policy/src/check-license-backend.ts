import type { ContentDocument, EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { licenseRefusal } from '@multi-drm/license-backends';
import { type Checked, passed, refused } from './decision-step';
import type { ResolvedPolicy } from './resolved-policy';

interface LicenseContext {
  drmSystem: PlaybackSchemas['DrmSystem'];
  environment: Pick<EnvironmentDocument, 'drmSystems'>;
  content: Pick<ContentDocument, 'keys'>;
}

/**
 * Refuses with `license_policy_invalid` or `drm_system_not_supported` if the environment's license backend could not issue a
 * license: such a session would only hold a slot. `licenseRefusal` knows what each backend requires.
 */
export function checkLicenseBackend(
  { tracks }: Pick<ResolvedPolicy, 'tracks'>,
  { drmSystem, environment, content }: LicenseContext,
): Checked {
  const type = environment.drmSystems.find((system) => system.drmSystem === drmSystem)?.backend ?? null;
  if (type === null)
    return passed('license_backend', 'environment', () => 'No license backend is published to check against.');
  const refusal = licenseRefusal(type, {
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
