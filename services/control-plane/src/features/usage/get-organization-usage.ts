import { endpoint } from '../../access/endpoint';
import { usageReply } from './usage-reply';
import type { UsageService } from './usage-service';

export const getOrganizationUsage = (usage: UsageService, now: () => Date) =>
  endpoint({
    operationId: 'getOrganizationUsage',
    access: { permission: 'usage:read', scope: 'organization' },
    handle: ({ params, query, request }) => usageReply(usage, params.organizationId, { query, now: now(), request }),
  });
