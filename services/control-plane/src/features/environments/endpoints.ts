import { endpoint } from '../../access/endpoint';
import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import { filterAndSort } from '../../records/filter-and-sort';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { EnvironmentService } from './environment-service';

interface EnvironmentEndpointsOptions extends FeatureOptions {
  /** Counts the active sessions of environments to be archived. */
  activeSessions: ActiveSessionCounter;
}

/** The operations on environments, with their service. */
export function environmentEndpoints(options: EnvironmentEndpointsOptions) {
  const environments = new EnvironmentService(options);
  return [
    endpoint({
      operationId: 'listEnvironments',
      access: { permission: 'environments:read', scope: 'project' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await filterAndSort(
          options.database,
          await environments.list(params.projectId, query.status ?? 'active'),
          query,
        ),
      }),
    }),
    endpoint({
      operationId: 'createEnvironment',
      access: { permission: 'environments:write', scope: 'project' },
      handle: async (input) => environments.create(input.params.projectId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'getEnvironment',
      access: { permission: 'environments:read', scope: 'environment' },
      handle: async ({ params }) => environments.read(params.environmentId),
    }),
    endpoint({
      operationId: 'updateEnvironment',
      access: { permission: 'environments:write', scope: 'environment' },
      handle: async (input) => environments.update(input.params.environmentId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'archiveEnvironment',
      access: { permission: 'environments:write', scope: 'environment' },
      handle: async (input) => {
        const { params, query } = input;
        await environments.archive(params.environmentId, query.cascade ?? false, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'restoreEnvironment',
      access: { permission: 'environments:write', scope: 'environment', restores: true },
      handle: async (input) => environments.restore(input.params.environmentId, conditionalChangeOf(input)),
    }),
  ];
}
