import { endpoint } from '../../access/endpoint';
import { usageReply } from './usage-reply';
import type { UsageService } from './usage-service';

export const getEnvironmentUsage = (usage: UsageService, now: () => Date) =>
  endpoint({
    operationId: 'getEnvironmentUsage',
    access: { permission: 'usage:read', scope: 'environment' },
    handle: ({ params, query, request }) => usageReply(usage, params.environmentId, { query, now: now(), request }),
  });
