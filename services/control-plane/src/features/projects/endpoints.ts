import { endpoint } from '../../access/endpoint';
import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import { filterAndSort } from '../../records/filter-and-sort';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { ProjectService } from './project-service';

interface ProjectEndpointsOptions extends FeatureOptions {
  /** Counts the active sessions of environments to be archived. */
  activeSessions: ActiveSessionCounter;
}

/** The operations on projects, with their service. */
export function projectEndpoints(options: ProjectEndpointsOptions) {
  const projects = new ProjectService(options);
  return [
    endpoint({
      operationId: 'listProjects',
      access: { permission: 'projects:read', scope: 'organization' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await filterAndSort(
          options.database,
          await projects.list(params.organizationId, query.status ?? 'active'),
          query,
        ),
      }),
    }),
    endpoint({
      operationId: 'createProject',
      access: { permission: 'projects:write', scope: 'organization' },
      handle: async (input) => projects.create(input.params.organizationId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'getProject',
      access: { permission: 'projects:read', scope: 'project' },
      handle: async ({ params }) => projects.read(params.projectId),
    }),
    endpoint({
      operationId: 'updateProject',
      access: { permission: 'projects:write', scope: 'project' },
      handle: async (input) => projects.update(input.params.projectId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'archiveProject',
      access: { permission: 'projects:write', scope: 'project' },
      handle: async (input) => {
        const { params, query } = input;
        await projects.archive(params.projectId, query.cascade ?? false, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'restoreProject',
      access: { permission: 'projects:write', scope: 'project', restores: true },
      handle: async (input) => projects.restore(input.params.projectId, conditionalChangeOf(input)),
    }),
  ];
}
