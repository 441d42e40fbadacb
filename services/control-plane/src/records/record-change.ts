import { type AuditEntry, recordAudit } from '../audit/record-audit';
import { organizationOf } from './change';
import type { OpenChange } from './changes';

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
