import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { RightsService } from './rights-service';

export const restoreRights = (service: RightsService) =>
  endpoint({
    operationId: 'restoreRights',
    access: { permission: 'rights:write', scope: 'rights', restores: true },
    handle: async (input) => {
      const { rights, etag } = await service.restore(input.params.rightsId, conditionalChangeOf(input));
      return { status: 200, body: rights, headers: { ETag: etag } };
    },
  });
