import { endpoint } from '../../access/endpoint';
import { updateOf } from '../change-of-request';
import type { RightsService } from './rights-service';

export const updateRights = (service: RightsService) =>
  endpoint({
    operationId: 'updateRights',
    access: { permission: 'rights:write', scope: 'rights' },
    handle: async (input) => service.update(input.params.rightsId, input.body, updateOf(input)),
  });
