import { type ActorKind, Prisma } from '../generated/prisma/client';
import { type AuditedRecord, auditedValues } from './audited-values';
import { type Actor, organizationOf } from './change';
import type { OpenChange } from './changes';

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
  /** The record in its API form after the change; absent if its values are not recorded, as for end users. */
  after?: AuditedRecord | undefined;
}

const actorKinds: Record<Actor['kind'], ActorKind> = {
  operator: 'operator',
  managementKey: 'management_key',
  oidc: 'oidc',
  anonymous: 'anonymous',
};

/** Adds an audit event in the change's own transaction: committed or rolled back with it. */
export async function recordAudit(
  transaction: Prisma.TransactionClient,
  actor: Actor,
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

/** A change of one record, in the words of the audit trail. */
type RecordedChange = Omit<AuditEntry, 'organizationId' | 'action' | 'recordId'> & {
  /** What was done, such as `create`: the action is `<recordType>.<verb>`. */
  verb: string;
  recordId: string;
};

/** Adds the audit event of a change to the trail of the organization that the change belongs to. */
export async function recordChange(
  { transaction, actor, now }: OpenChange,
  { verb, ...entry }: RecordedChange,
): Promise<void> {
  const organizationId = organizationOf(actor);
  await recordAudit(transaction, actor, { ...entry, organizationId, action: `${entry.recordType}.${verb}` }, now);
}
