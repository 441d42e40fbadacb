import { endpoint } from '../../access/endpoint';
import { changeOf } from '../../records/change';
import type { RightsService } from './rights-service';

export const updateRights = (service: RightsService) =>
  endpoint({
    operationId: 'updateRights',
    access: { permission: 'rights:write', scope: 'rights' },
    handle: async (input) => {
      const { params, body, request } = input;
      const ifMatch = request.get('If-Match');
      const { rights, etag } = await service.update(params.rightsId, ifMatch, body, changeOf(input));
      return { status: 200, body: rights, headers: { ETag: etag } };
    },
  });
