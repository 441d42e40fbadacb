import { endpoint } from '../../access/endpoint';
import { auditEventQueryOf } from './audit-event-query';
import type { AuditEventService } from './audit-event-service';

export const listAuditEvents = (auditEvents: AuditEventService) =>
  endpoint({
    operationId: 'listAuditEvents',
    access: { permission: 'audit-events:read', scope: 'organization' },
    handle: async ({ params, query }) => ({
      status: 200,
      body: await auditEvents.list(params.organizationId, auditEventQueryOf(query)),
    }),
  });
