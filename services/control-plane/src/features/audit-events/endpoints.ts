import type { FeatureOptions } from '../feature-options';
import { AuditEventService } from './audit-event-service';
import { listAuditEvents } from './list-audit-events';

/** The operation on audit events, with its service. */
export function auditEventEndpoints({ database }: FeatureOptions) {
  return [listAuditEvents(new AuditEventService(database))];
}
