import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { RightsService } from './rights-service';

export const archiveRights = (service: RightsService) =>
  endpoint({
    operationId: 'archiveRights',
    access: { permission: 'rights:write', scope: 'rights' },
    handle: async (input) => {
      await service.archive(input.params.rightsId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
