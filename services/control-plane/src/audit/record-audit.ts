import type { Transaction } from '../database/database';
import { type ActorKind, Prisma } from '../generated/prisma/client';
import { type AuditedRecord, auditedValues } from './audited-values';

/** Who did something, and how the audit trail identifies the request. */
export interface AuditActor {
  kind: 'operator' | 'managementKey' | 'oidc' | 'anonymous' | 'system';
  /** A key id, or issuer and subject of a token. */
  id: string | null;
  name: string | null;
  requestId: string;
  /** Full network address of the caller, without a port. */
  address: string | null;
}

/** What was done to which record. */
export interface AuditEntry {
  organizationId: string | null;
  /** Record type and verb, such as `project.create`. */
  action: string;
  recordType: string;
  recordId: string | null;
  /** Names of the fields that changed, or other facts; never a secret. */
  details?: Prisma.InputJsonObject | undefined;
  /** The record in its API form before the change; absent if there was none. */
  before?: AuditedRecord | undefined;
  /** The record in its API form after the change; absent if no record changed. */
  after?: AuditedRecord | undefined;
}

const actorKinds: Record<AuditActor['kind'], ActorKind> = {
  operator: 'operator',
  managementKey: 'management_key',
  oidc: 'oidc',
  anonymous: 'anonymous',
  system: 'system',
};

/** Adds an audit event in the change's own transaction: committed or rolled back with it. */
export async function recordAudit(
  transaction: Transaction,
  actor: AuditActor,
  { organizationId, action, recordType, recordId, details = {}, before, after }: AuditEntry,
  now: Date,
): Promise<void> {
  const values = after === undefined ? undefined : auditedValues(before ?? null, after);
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
      details: values?.omitted.length ? { ...details, omitted: values.omitted } : details,
      before: columnOf(values?.before),
      after: columnOf(values?.after),
    },
  });
}

// Safe: API representations are JSON.
function columnOf(values: Record<string, unknown> | null | undefined) {
  return (values as Prisma.InputJsonObject | null | undefined) ?? Prisma.DbNull;
}
