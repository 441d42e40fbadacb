import type { AuditEvent } from '../generated/prisma/client';
import type { TestControlPlane } from './control-plane';

/** The audit events of a record, oldest first. */
export async function auditTrailOf({ prisma }: TestControlPlane, recordId: string): Promise<AuditEvent[]> {
  return prisma.auditEvent.findMany({ where: { recordId }, orderBy: [{ occurredAt: 'asc' }, { id: 'asc' }] });
}

/** The action names in a record's audit trail, oldest first. */
export async function auditedActions(controlPlane: TestControlPlane, recordId: string): Promise<string[]> {
  return (await auditTrailOf(controlPlane, recordId)).map(({ action }) => action);
}
