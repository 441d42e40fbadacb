import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { EnvironmentRecord } from './environment-store';

type EnvironmentResponse = ControlPlaneSchemas['EnvironmentResponse'];

/** An environment as the API shows it. */
export function environmentResponse(environment: EnvironmentRecord): EnvironmentResponse {
  return {
    environmentId: environment.id,
    projectId: environment.projectId,
    kind: environment.kind,
    name: environment.name,
    status: environment.status,
    settings: {
      // Safe: only names that the API takes are stored.
      defaultLicensePolicyTemplate:
        environment.defaultLicensePolicyTemplate as ControlPlaneSchemas['LicensePolicyTemplateName'],
      sessionLifetimeSeconds: environment.sessionLifetimeSeconds,
      maximumConcurrentStreams: environment.maximumConcurrentStreams,
    },
    drmSystems: environment.drmSystems.map(({ drmSystem, enabled, backend }) => ({
      drmSystem,
      enabled,
      backend: backend as EnvironmentResponse['drmSystems'][number]['backend'],
    })),
    createdAt: environment.createdAt.toISOString(),
    updatedAt: environment.updatedAt.toISOString(),
  };
}
