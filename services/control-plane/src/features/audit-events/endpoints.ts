import type { FeatureOptions } from '../feature-options';
import { AuditEventService } from './audit-event-service';
import { AuditEventStore } from './audit-event-store';
import { listAuditEvents } from './list-audit-events';

/** The operation on audit events, with its service and store. */
export function auditEventEndpoints({ prisma }: Pick<FeatureOptions, 'prisma'>) {
  return [listAuditEvents(new AuditEventService(new AuditEventStore(prisma)))];
}
