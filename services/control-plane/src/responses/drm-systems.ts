import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { SettingValues } from '@multi-drm/license-backends';
import type { DrmSystemRecord } from '../stores/drm-systems';

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
            ...(backendSettings as SettingValues | null),
          },
    certificate: record.certificate,
    updatedAt: record.updatedAt.toISOString(),
  };
}
