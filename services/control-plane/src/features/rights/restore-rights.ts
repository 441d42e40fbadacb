import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { RightsService } from './rights-service';

export const restoreRights = (service: RightsService) =>
  endpoint({
    operationId: 'restoreRights',
    access: { permission: 'rights:write', scope: 'rights', restores: true },
    handle: async (input) => service.restore(input.params.rightsId, conditionalChangeOf(input)),
  });
