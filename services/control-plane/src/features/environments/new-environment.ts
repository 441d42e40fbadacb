import { type ControlPlaneSchemas, drmSystems } from '@multi-drm/contracts';
import type { OpenChange } from '../../records/open-change';
import { type EnvironmentRecord, insertEnvironment, type NewEnvironment } from '../../stores/environments';
import { selfSignedCertificate } from '../drm-systems/self-signed-certificate';

type EnvironmentKind = ControlPlaneSchemas['EnvironmentKind'];

const names: Record<EnvironmentKind, string> = {
  development: 'Development',
  staging: 'Staging',
  production: 'Production',
};

/**
 * The initial environment: in development, every DRM system works at once, with the built-in `clearkey` backend and a
 * self-signed FairPlay certificate; in staging and production, each must be configured.
 */
export function newEnvironment(projectId: string, kind: EnvironmentKind, now: Date, name = names[kind]) {
  const drmSystem = kind === 'development' ? { enabled: true, backend: 'clearkey' } : { enabled: false, backend: null };
  return {
    projectId,
    kind,
    name,
    defaultLicensePolicyTemplate: 'single-software',
    sessionLifetimeSeconds: 14_400,
    maximumConcurrentStreams: 3,
    createdAt: now,
    updatedAt: now,
    drmSystems: {
      createMany: {
        data: drmSystems.map((name) => ({
          drmSystem: name,
          ...drmSystem,
          certificate: kind === 'development' && name === 'fairplay' ? selfSignedCertificate('Development', now) : null,
          updatedAt: now,
        })),
      },
    },
  } satisfies NewEnvironment;
}

/** Adds an environment to a project that is being created or changed. */
export async function addEnvironment(
  open: OpenChange,
  projectId: string,
  kind: EnvironmentKind,
  name?: string,
): Promise<EnvironmentRecord> {
  const environment = await insertEnvironment(open.transaction, newEnvironment(projectId, kind, open.now, name));
  await open.record('environment', 'create', { after: environment });
  return environment;
}
