import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Page } from '../../records/page';
import type { AuditEventRecord, AuditEventStore } from './audit-event-store';

type AuditEventResponse = ControlPlaneSchemas['AuditEventResponse'];

/** What was done in an organization. */
export class AuditEventService {
  constructor(private readonly store: AuditEventStore) {}

  async list(organizationId: string, page: Page): Promise<ControlPlaneSchemas['PagedResponseOfAuditEventResponse']> {
    const { items, total } = await this.store.list(organizationId, page);
    return { items: items.map((event) => auditEventResponse(event, organizationId)), total, ...page };
  }
}

const actorKinds: Record<AuditEventRecord['actorKind'], AuditEventResponse['actor']['kind']> = {
  operator: 'operator',
  management_key: 'management-key',
  oidc: 'oidc',
  anonymous: 'anonymous',
};

function auditEventResponse(event: AuditEventRecord, organizationId: string): AuditEventResponse {
  return {
    auditEventId: event.id,
    organizationId,
    occurredAt: event.occurredAt.toISOString(),
    actor: { kind: actorKinds[event.actorKind], id: event.actorId, name: event.actorName },
    action: event.action,
    recordType: event.recordType,
    recordId: event.recordId,
    requestId: event.requestId,
    address: event.address,
    // Safe: `recordAudit`, the only writer, takes objects alone.
    details: event.details as AuditEventResponse['details'],
  };
}
