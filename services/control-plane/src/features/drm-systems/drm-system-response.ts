import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { BackendSettings } from './backends';
import type { DrmSystemRecord } from './drm-system-store';

/** The settings of a DRM system as the API shows them: without their secrets, which are kept apart. */
export function drmSystemResponse({
  backend,
  backendSettings,
  ...record
}: DrmSystemRecord): ControlPlaneSchemas['DrmSystemConfigurationResponse'] {
  return {
    drmSystem: record.drmSystem,
    enabled: record.enabled,
    // Safe: only what the API takes is stored.
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
