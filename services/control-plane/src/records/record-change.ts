import { type AuditEntry, recordAudit } from '../audit/record-audit';
import { organizationOf } from './change';
import type { OpenChange } from './changes';

/** A record before and after a change; `before` is absent if there was none. */
export interface Changed<Row> {
  before?: Row;
  after: Row;
  details?: NonNullable<AuditEntry['details']>;
}

/**
 * Adds the audit event of a change to the trail of the organization that it belongs to. `action`: record type and verb,
 * such as `project.create`. `response` gives the API form of a record, whose values are recorded.
 */
export async function recordChange<Row extends { id: string }>(
  { transaction, actor, now }: OpenChange,
  action: `${string}.${string}`,
  { before, after, details }: Changed<Row>,
  response: (record: Row) => NonNullable<AuditEntry['after']>,
): Promise<void> {
  const [recordType = ''] = action.split('.');
  const entry = {
    organizationId: organizationOf(actor),
    action,
    recordType,
    recordId: after.id,
    details,
    before: before && response(before),
    after: response(after),
  };
  await recordAudit(transaction, actor, entry, now);
}
