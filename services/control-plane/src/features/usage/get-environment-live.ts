import { endpoint } from '../../access/endpoint';
import type { LiveService } from './live-service';

export const getEnvironmentLive = (live: LiveService) =>
  endpoint({
    operationId: 'getEnvironmentLive',
    access: { permission: 'usage:read', scope: 'environment' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await live.read(params.environmentId, query.groupBy ?? null),
    }),
  });
