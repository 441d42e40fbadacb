import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { BackendSettings } from './backend-settings';
import type { DrmSystemRecord } from './drm-system-store';

/** The API representation of a DRM system's settings: without their secrets, which are stored separately. */
export function drmSystemResponse({
  backend,
  backendSettings,
  ...record
}: DrmSystemRecord): ControlPlaneSchemas['DrmSystemConfigurationResponse'] {
  return {
    drmSystem: record.drmSystem,
    enabled: record.enabled,
    // Safe: only what the API accepts is stored.
    backend:
      backend === null
        ? null
        : {
            type: backend as ControlPlaneSchemas['LicenseBackendType'],
            ...(backendSettings as BackendSettings | null),
          },
    certificate: record.certificate,
    updatedAt: record.updatedAt.toISOString(),
  };
}
