import { endpoint } from '../../access/endpoint';
import { changeOf } from '../change-of-request';
import type { RightsService } from './rights-service';

export const createRights = (service: RightsService) =>
  endpoint({
    operationId: 'createRights',
    access: { permission: 'rights:write', scope: 'project' },
    handle: async (input) => service.create(input.params.projectId, input.body, changeOf(input)),
  });
