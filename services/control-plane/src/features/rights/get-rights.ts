import { endpoint } from '../../access/endpoint';
import type { RightsService } from './rights-service';

export const getRights = (service: RightsService) =>
  endpoint({
    operationId: 'getRights',
    access: { permission: 'rights:read', scope: 'rights' },
    handle: async ({ params }) => {
      const { rights, etag } = await service.read(params.rightsId);
      return { status: 200, body: rights, headers: { ETag: etag } };
    },
  });
