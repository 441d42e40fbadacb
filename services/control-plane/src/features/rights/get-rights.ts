import { endpoint } from '../../access/endpoint';
import type { RightsService } from './rights-service';

export const getRights = (service: RightsService) =>
  endpoint({
    operationId: 'getRights',
    access: { permission: 'rights:read', scope: 'rights' },
    handle: async ({ params }) => service.read(params.rightsId),
  });
