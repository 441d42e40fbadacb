import { endpoint } from '../../access/endpoint';
import { filterAndSort } from '../../records/filter-and-sort';
import { changeOf, conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import { RightsService } from './rights-service';

/** The operations on rights, with their service. */
export function rightsEndpoints(options: FeatureOptions) {
  const rights = new RightsService(options);
  return [
    endpoint({
      operationId: 'listRights',
      access: { permission: 'rights:read', scope: 'project' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await filterAndSort(
          options.database,
          await rights.list(params.projectId, query.status ?? 'active'),
          query,
        ),
      }),
    }),
    endpoint({
      operationId: 'createRights',
      access: { permission: 'rights:write', scope: 'project' },
      handle: async (input) => rights.create(input.params.projectId, input.body, changeOf(input)),
    }),
    endpoint({
      operationId: 'getRights',
      access: { permission: 'rights:read', scope: 'rights' },
      handle: async ({ params }) => rights.read(params.rightsId),
    }),
    endpoint({
      operationId: 'updateRights',
      access: { permission: 'rights:write', scope: 'rights' },
      handle: async (input) => rights.update(input.params.rightsId, input.body, updateOf(input)),
    }),
    endpoint({
      operationId: 'archiveRights',
      access: { permission: 'rights:write', scope: 'rights' },
      handle: async (input) => {
        await rights.archive(input.params.rightsId, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'restoreRights',
      access: { permission: 'rights:write', scope: 'rights', restores: true },
      handle: async (input) => rights.restore(input.params.rightsId, conditionalChangeOf(input)),
    }),
  ];
}
