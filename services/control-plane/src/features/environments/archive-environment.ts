import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../change-of-request';
import type { EnvironmentService } from './environment-service';

export const archiveEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'archiveEnvironment',
    access: { permission: 'environments:write', scope: 'environment' },
    handle: async (input) => {
      const { params, query } = input;
      await environments.archive(params.environmentId, query.cascade ?? false, conditionalChangeOf(input));
      return { status: 204 };
    },
  });
