import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { EnvironmentRecord } from '../stores/environments';

type EnvironmentResponse = ControlPlaneSchemas['EnvironmentResponse'];

/** The API representation of an environment. */
export function environmentResponse(environment: EnvironmentRecord): EnvironmentResponse {
  return {
    environmentId: environment.id,
    projectId: environment.projectId,
    kind: environment.kind,
    name: environment.name,
    status: environment.status,
    settings: {
      defaultLicensePolicyTemplate: environment.defaultLicensePolicyTemplate,
      sessionLifetimeSeconds: environment.sessionLifetimeSeconds,
      heartbeatSeconds: environment.heartbeatSeconds,
      maximumSessionSeconds: environment.maximumSessionSeconds,
      licenseTokenLifetimeSeconds: environment.licenseTokenLifetimeSeconds,
      maximumConcurrentStreams: environment.maximumConcurrentStreams,
      allowedOrigins: environment.allowedOrigins,
      // Safe: only what the API accepts is stored.
      trackTypeHeights: environment.trackTypeHeights as ControlPlaneSchemas['TrackTypeHeights'],
    },
    drmSystems: environment.drmSystems.map(({ drmSystem, enabled, backend }) => ({
      drmSystem,
      enabled,
      // Safe, as above.
      backend: backend as ControlPlaneSchemas['LicenseBackendType'] | null,
    })),
    createdAt: environment.createdAt.toISOString(),
    updatedAt: environment.updatedAt.toISOString(),
  };
}
