import { endpoint } from '../../access/endpoint';
import type { FeatureOptions } from '../feature-options';
import { auditEventQueryOf } from './audit-event-query';
import { AuditEventService } from './audit-event-service';

/** The operation on audit events, with its service. */
export function auditEventEndpoints({ database }: FeatureOptions) {
  const auditEvents = new AuditEventService(database);
  return [
    endpoint({
      operationId: 'listAuditEvents',
      access: { permission: 'audit-events:read', scope: 'organization' },
      handle: async ({ params, query }) => ({
        status: 200,
        body: await auditEvents.list(params.organizationId, auditEventQueryOf(query)),
      }),
    }),
  ];
}
