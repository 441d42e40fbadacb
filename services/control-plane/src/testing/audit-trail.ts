import type { AuditEvent } from '../generated/prisma/client';
import type { TestControlPlane } from './control-plane';

/** What the audit trail says of a record, oldest first. */
export async function auditTrailOf({ prisma }: TestControlPlane, recordId: string): Promise<AuditEvent[]> {
  return prisma.auditEvent.findMany({ where: { recordId }, orderBy: [{ occurredAt: 'asc' }, { id: 'asc' }] });
}

/** Names of the actions of a record's audit trail, oldest first. */
export async function auditedActions(controlPlane: TestControlPlane, recordId: string): Promise<string[]> {
  return (await auditTrailOf(controlPlane, recordId)).map(({ action }) => action);
}
