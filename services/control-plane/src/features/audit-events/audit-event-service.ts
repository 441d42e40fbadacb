import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Database } from '../../database/database';
import { type AuditEventRecord, listOlderAuditEvents, readAuditEventPage } from '../../stores/audit-events';
import type { AuditEventQuery } from './audit-event-query';
import { formatCursor } from './cursor';

type AuditEventResponse = ControlPlaneSchemas['AuditEventResponse'];

/** The audit trail of an organization. */
export class AuditEventService {
  constructor(private readonly database: Database) {}

  /** A page, newest first. Without a cursor, it starts at the page's offset and the total is counted. */
  async list(
    organizationId: string,
    { filter, page, cursor }: AuditEventQuery,
  ): Promise<ControlPlaneSchemas['PagedResponseOfAuditEventResponse']> {
    const { limit, offset } = page;
    if (cursor === undefined) {
      const { items, total } = await readAuditEventPage(this.database, organizationId, filter, page);
      return pageResponse(organizationId, items, { total, ...page, hasMore: offset + items.length < total });
    }
    // One extra event shows whether there is another page.
    const found = await listOlderAuditEvents(this.database, organizationId, filter, cursor, limit + 1);
    const place = { total: null, ...page, hasMore: found.length > limit };
    return pageResponse(organizationId, found.slice(0, limit), place);
  }
}

function pageResponse(
  organizationId: string,
  items: AuditEventRecord[],
  { hasMore, ...place }: { total: number | null; limit: number; offset: number; hasMore: boolean },
): ControlPlaneSchemas['PagedResponseOfAuditEventResponse'] {
  const last = items.at(-1);
  return {
    items: items.map((event) => auditEventResponse(event, organizationId)),
    ...place,
    nextCursor: hasMore && last !== undefined ? formatCursor(last) : null,
  };
}

const actorKinds: Record<AuditEventRecord['actorKind'], AuditEventResponse['actor']['kind']> = {
  operator: 'operator',
  management_key: 'management-key',
  oidc: 'oidc',
  anonymous: 'anonymous',
  system: 'system',
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
    // Safe: `recordAudit`, the only writer, accepts only objects.
    details: event.details as AuditEventResponse['details'],
    before: event.before as AuditEventResponse['before'],
    after: event.after as AuditEventResponse['after'],
  };
}
