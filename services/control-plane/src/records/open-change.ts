import { auditedValues } from '../audit/audited-values';
import { type AuditEntry, recordAudit } from '../audit/record-audit';
import type { Transaction } from '../database/database';
import { addRecordEvent } from '../events/event-outbox';
import type { ChangedDocument } from '../publishing/changed-documents';
import { addOutboxEntry } from '../publishing/outbox-entries';
import type { Actor } from './change';
import { recordEventOf } from './record-events';
import { type RecordKindName, type RowOf, recordKinds } from './record-kinds';

type Verb =
  | 'register'
  | 'create'
  | 'update'
  | 'configure'
  | 'publish'
  | 'unpublish'
  | 'archive'
  | 'restore'
  | 'remove'
  | 'rotate'
  | 'revoke'
  | 'replay'
  | 'erase';

/** A record before and after a change; `before` is absent if there was none. */
interface Changed<Row> {
  before?: Row;
  after: Row;
  details?: NonNullable<AuditEntry['details']>;
  /** Default: that of the actor, which a registration does not have yet. */
  organizationId?: string;
}

/** A change in progress: everything that it does, it does in this transaction. */
export class OpenChange {
  /** The documents that playback must have before the caller gets an answer. Bulk entries are not waited for. */
  readonly documents: ChangedDocument[] = [];

  constructor(
    readonly transaction: Transaction,
    readonly actor: Actor,
    /** The time of the change, the same throughout. */
    readonly now: Date,
  ) {}

  /** The organization that the change belongs to. Not for registrations: there is none yet. */
  get organizationId(): string {
    const { tenantScope } = this.actor;
    if (tenantScope === null) throw new Error('the change belongs to no organization');
    return tenantScope.organizationId;
  }

  /**
   * Adds the audit event of a record that was changed and, if playback knows this kind of record, the outbox entry, and, if customers are
   * told of this change, the event.
   */
  async record<Kind extends RecordKindName>(
    kind: Kind,
    verb: Verb,
    { before, after, details, organizationId = this.organizationId }: Changed<RowOf<Kind>>,
  ): Promise<void> {
    const { transaction, actor, now } = this;
    const { audited, recordId, document } = recordKinds[kind];
    const published = document(after);
    if (published !== undefined) await this.publish(published.documentKind, published.documentId);
    const entry = {
      organizationId,
      action: `${kind}.${verb}`,
      recordType: kind,
      recordId: recordId(after),
      details,
      before: before === undefined ? undefined : audited(before, now),
      after: audited(after, now),
    };
    await recordAudit(transaction, actor, entry, now);
    const event = recordEventOf(kind, verb, before, after);
    if (event === undefined) return;
    const { after: changed, omitted } = auditedValues(entry.before ?? null, entry.after);
    const changedFields = [...Object.keys(changed ?? {}), ...omitted];
    await addRecordEvent(transaction, event, { recordType: kind, recordId: entry.recordId, changedFields });
  }

  /**
   * Adds the audit event of a session that is to be terminated: no record of its own, and no subject, because an audit event outlives an
   * erasure.
   */
  async recordTermination(environmentId: string, sessionId: string): Promise<void> {
    const { transaction, actor, now, organizationId } = this;
    const entry = {
      organizationId,
      action: 'session.terminate',
      recordType: 'session',
      recordId: sessionId,
      details: { environmentId },
    };
    await recordAudit(transaction, actor, entry, now);
  }

  /** Adds an outbox entry for a document that shows something else that was changed. */
  async publish(documentKind: ChangedDocument['documentKind'], documentId: string): Promise<void> {
    await addOutboxEntry(this.transaction, documentKind, documentId);
    this.documents.push({ documentKind, documentId });
  }
}
