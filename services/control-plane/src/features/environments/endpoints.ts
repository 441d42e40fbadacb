import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { FeatureOptions } from '../feature-options';
import { archiveEnvironment } from './archive-environment';
import { createEnvironment } from './create-environment';
import { EnvironmentArchivingStore } from './environment-archiving-store';
import { EnvironmentService } from './environment-service';
import { EnvironmentStore } from './environment-store';
import { getEnvironment } from './get-environment';
import { listEnvironments } from './list-environments';
import { restoreEnvironment } from './restore-environment';
import { updateEnvironment } from './update-environment';

interface EnvironmentEndpointsOptions extends FeatureOptions {
  /** Counts the active sessions of environments to be archived. */
  activeSessions: ActiveSessionCounter;
}

/** The operations on environments, with their service and stores. */
export function environmentEndpoints({ prisma, activeSessions, publisher, now }: EnvironmentEndpointsOptions) {
  const environments = new EnvironmentService({
    store: new EnvironmentStore(prisma),
    archiving: new EnvironmentArchivingStore(prisma, activeSessions),
    publisher,
    now,
  });
  return [
    listEnvironments(environments),
    createEnvironment(environments),
    getEnvironment(environments),
    updateEnvironment(environments),
    archiveEnvironment(environments),
    restoreEnvironment(environments),
  ];
}
