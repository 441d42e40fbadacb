import type { ActorKind, Prisma } from '../generated/prisma/client';
import type { Actor } from './change';

/** What was done to which record. */
export interface AuditEntry {
  organizationId: string | null;
  /** Record type and verb, such as `project.create`. */
  action: string;
  recordType: string;
  recordId: string | null;
  /** Names of the fields that changed, or other facts; never a secret. */
  details?: Prisma.InputJsonObject;
}

const actorKinds: Record<Actor['kind'], ActorKind> = {
  operator: 'operator',
  managementKey: 'management_key',
  oidc: 'oidc',
  anonymous: 'anonymous',
};

/** Adds an audit event in the change's own transaction: committed, or rolled back, with it. */
export async function recordAudit(
  transaction: Prisma.TransactionClient,
  actor: Actor,
  { organizationId, action, recordType, recordId, details = {} }: AuditEntry,
  now: Date,
): Promise<void> {
  await transaction.auditEvent.create({
    data: {
      organizationId,
      occurredAt: now,
      actorKind: actorKinds[actor.kind],
      actorId: actor.id,
      actorName: actor.name,
      action,
      recordType,
      recordId,
      requestId: actor.requestId,
      address: actor.address,
      details,
    },
  });
}
