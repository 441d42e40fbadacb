import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { RightsService } from './rights-service';

export const createRights = (service: RightsService) =>
  endpoint({
    operationId: 'createRights',
    access: { permission: 'rights:write', scope: 'project' },
    handle: async (input) => {
      const { rights, etag } = await service.create(input.params.projectId, input.body, changeOf(input));
      return { status: 200, body: rights, headers: { ETag: etag } };
    },
  });
