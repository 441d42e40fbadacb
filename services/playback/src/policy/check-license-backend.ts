import type { ContentDocument, EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { licenseRefusal } from '@multi-drm/license-backends';
import type { ResolvedPolicy } from './resolved-policy';
import { passed, Refusal, type Step } from './step';

interface LicenseContext {
  drmSystem: PlaybackSchemas['DrmSystem'];
  environment: Pick<EnvironmentDocument, 'drmSystems'>;
  content: Pick<ContentDocument, 'keys'>;
}

/**
 * Throws a Refusal with `license_policy_invalid` or `drm_system_not_supported` where the environment's license backend
 * could give no license: a session without one would only hold a slot. What the backend is asked for is known to
 * `licenseRefusal` alone.
 */
export function checkLicenseBackend(
  { tracks }: Pick<ResolvedPolicy, 'tracks'>,
  { drmSystem, environment, content }: LicenseContext,
): Step {
  const type = environment.drmSystems.find((system) => system.drmSystem === drmSystem)?.backend ?? null;
  if (type === null) return passed('license_backend', 'environment', 'No license backend is published to judge by.');
  const fault = licenseRefusal(type, {
    drmSystem,
    tracks: tracks.map(({ trackType, ...rules }) => ({ trackTypes: [trackType], ...rules })),
    keys: content.keys.map(({ keyId, trackTypes, encryptedKey }) => ({
      keyId,
      trackTypes,
      isKept: encryptedKey !== null,
    })),
  });
  if (fault !== null) throw new Refusal('license_backend', 'environment', fault.code, fault.detail);
  return passed('license_backend', 'environment', 'The license backend can give licenses under the policy.');
}
