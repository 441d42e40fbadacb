import { Problem } from '@multi-drm/contracts';
import { z } from 'zod';
import type { BackendSettings, BackendType, SettingsByType } from './backend-descriptor';
import { backendDescriptors } from './backend-descriptors';
import type { LicenseBackend } from './license-backend';
import type { SignPolicy } from './policy-token';

/** Validates decrypted settings, including secrets. */
export const backendSettings: z.ZodType<BackendSettings> = z.union(
  Object.values(backendDescriptors).map(({ settings }) => settings),
);

/**
 * Creates the backend for an environment's settings of one DRM system. Each call creates new vendor tokens. Its
 * `prepare` throws `license_backend_not_configured` for a DRM system that the backend does not serve.
 */
export function createBackend<Type extends BackendType>(
  settings: SettingsByType[Type] & { type: Type },
  signPolicy: SignPolicy,
): LicenseBackend {
  const { type } = settings;
  const { systems, create } = backendDescriptors[type];
  const backend = create(settings, signPolicy);
  return {
    ...backend,
    prepare(call) {
      const { drmSystem } = call;
      if (!systems.includes(drmSystem)) {
        throw new Problem('license_backend_not_configured', `The license backend ${type} does not serve ${drmSystem}.`);
      }
      return backend.prepare(call);
    },
  };
}
