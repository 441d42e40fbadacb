import { endpoint } from '../../access/endpoint';
import type { Database } from '../../database/database';
import { filterAndSort } from '../../records/filter-and-sort';
import type { ProjectService } from './project-service';

export const listProjects = (projects: ProjectService, database: Database) =>
  endpoint({
    operationId: 'listProjects',
    access: { permission: 'projects:read', scope: 'organization' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await filterAndSort(database, await projects.list(params.organizationId, query.status ?? 'active'), query),
    }),
  });
