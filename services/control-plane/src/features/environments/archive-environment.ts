import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { EnvironmentService } from './environment-service';

export const archiveEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'archiveEnvironment',
    access: { permission: 'environments:write', scope: 'environment' },
    handle: async (input) => {
      await environments.archive(input.params.environmentId, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
