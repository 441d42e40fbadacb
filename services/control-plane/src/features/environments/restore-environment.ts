import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf } from '../../records/change';
import type { EnvironmentService } from './environment-service';

export const restoreEnvironment = (environments: EnvironmentService) =>
  endpoint({
    operationId: 'restoreEnvironment',
    access: { permission: 'environments:write', scope: 'environment', restores: true },
    handle: async (input) => {
      const { environment, etag } = await environments.restore(input.params.environmentId, conditionalChangeOf(input));
      return { status: 200, body: environment, headers: { ETag: etag } };
    },
  });
