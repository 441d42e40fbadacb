import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { FeatureOptions } from '../feature-options';
import { archiveEnvironment } from './archive-environment';
import { createEnvironment } from './create-environment';
import { EnvironmentService } from './environment-service';
import { getEnvironment } from './get-environment';
import { listEnvironments } from './list-environments';
import { restoreEnvironment } from './restore-environment';
import { updateEnvironment } from './update-environment';

interface EnvironmentEndpointsOptions extends FeatureOptions {
  /** Counts the active sessions of environments to be archived. */
  activeSessions: ActiveSessionCounter;
}

/** The operations on environments, with their service. */
export function environmentEndpoints(options: EnvironmentEndpointsOptions) {
  const environments = new EnvironmentService(options);
  return [
    listEnvironments(environments, options.database),
    createEnvironment(environments),
    getEnvironment(environments),
    updateEnvironment(environments),
    archiveEnvironment(environments),
    restoreEnvironment(environments),
  ];
}
