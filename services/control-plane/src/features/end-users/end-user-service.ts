import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import type { AuditedEndUser } from '../../audit/audited-values';
import type { Database } from '../../database/database';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes, OpenChange } from '../../records/changes';
import { etagOf, parseIfMatch } from '../../records/if-match';
import { type Changed, recordChange } from '../../records/record-change';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { endUserResponse } from '../../responses/end-users';
import { type EndUserQuery, readEndUserPage } from '../../stores/end-user-list';
import {
  type AuditableEndUser,
  changeEndUser,
  type EndUserRecord,
  eraseEndUser,
  insertEndUser,
  lockEndUser,
  lockEndUserOfSubject,
  readEndUser,
} from '../../stores/end-users';
import type { Page } from '../../stores/page';

/** Maximum size of a user's attributes, in bytes of JSON. */
const maximumAttributesBytes = 4 * 1024;

/** An end user and its ETag. */
interface VersionedEndUser {
  endUser: ControlPlaneSchemas['EndUserResponse'];
  etag: string;
}

interface EndUserOptions {
  database: Database;
  changes: Changes;
}

/** Viewers as synchronized by the customer's system of record. */
export class EndUserService {
  constructor(private readonly options: EndUserOptions) {}

  async list(
    projectId: string,
    query: EndUserQuery,
    page: Page,
  ): Promise<ControlPlaneSchemas['PagedResponseOfEndUserResponse']> {
    const { items, total } = await readEndUserPage(this.options.database, projectId, query, page);
    return { items: items.map(endUserResponse), total, ...page };
  }

  async read(userId: string): Promise<VersionedEndUser> {
    return versioned(await readEndUser(this.options.database, userId));
  }

  /**
   * Creates the user, or updates the sent fields of the one with this subject; of concurrent calls, only one creates
   * it. Throws `invalid_request`.
   */
  async synchronize(
    projectId: string,
    { subject, ...fields }: ControlPlaneSchemas['SynchronizeEndUserRequest'],
    change: Change,
  ): Promise<VersionedEndUser> {
    requireSmall(fields.attributes);
    const values = { ...fields, projectId, subject };
    const outcome = await this.options.changes.createOnce(change, async (open) => {
      const { transaction, now } = open;
      await requireUnarchived(transaction, 'project', projectId);
      for (;;) {
        const before = await lockEndUserOfSubject(transaction, values);
        if (before !== undefined) {
          const after = await changeEndUser(transaction, before.id, { ...fields, synchronizedAt: now });
          await record(open, 'update', { before, after, details: { fields: Object.keys(fields) } });
          return after;
        }
        // Undefined after another transaction has created the user: now there is one to update.
        const created = await insertEndUser(transaction, values, now);
        if (created !== undefined) {
          await record(open, 'create', { after: created });
          return created;
        }
      }
    });
    return 'repeatedId' in outcome ? this.read(outcome.repeatedId) : versioned(outcome.created);
  }

  /**
   * Updates a user if it has not changed since the caller read it. Throws `invalid_request`, `precondition_required`,
   * `precondition_failed`, or `conflict` if the user is erased.
   */
  async update(
    userId: string,
    ifMatch: string | undefined,
    fields: ControlPlaneSchemas['UpdateEndUserRequest'],
    change: Change,
  ): Promise<VersionedEndUser> {
    const versions = parseIfMatch(ifMatch);
    requireSmall(fields.attributes);
    const updated = await this.options.changes.run(change, async (open) => {
      const { transaction } = open;
      await requireParentUnarchived(transaction, 'project', 'end_user', userId);
      const before = await lockEndUser(transaction, userId);
      requireChangeable(before, versions, 'end user');
      const after = await changeEndUser(transaction, userId, fields);
      await record(open, 'update', { before, after, details: { fields: Object.keys(fields) } });
      return after;
    });
    return versioned(updated);
  }

  /**
   * Erases personal data and keeps the id; repeating it does nothing. The subject becomes free for a new user. Throws
   * `precondition_failed`.
   */
  async erase(userId: string, change: ConditionalChange): Promise<void> {
    await this.options.changes.run(change, async (open) => {
      const before = await lockEndUser(open.transaction, userId);
      if (before.status === 'archived') return;
      requireMatch(before, change.ifMatch, 'end user');
      const after = await eraseEndUser(open.transaction, userId);
      await record(open, 'erase', { before, after });
    });
  }
}

function requireSmall(attributes: ControlPlaneSchemas['EndUserAttributes'] | undefined): void {
  if (attributes === undefined || Buffer.byteLength(JSON.stringify(attributes), 'utf8') <= maximumAttributesBytes)
    return;
  throw invalidRequest({ attributes: [`must be at most ${maximumAttributesBytes} bytes of JSON`] });
}

/**
 * Records a change of a user in the audit trail and adds an outbox entry for it. Of the changed fields the names are
 * recorded, and the values only of those that decide whether the viewer may watch: personal data must not outlive the
 * user in the audit trail.
 */
async function record(
  open: OpenChange,
  verb: 'create' | 'update' | 'erase',
  changed: Changed<AuditableEndUser>,
): Promise<void> {
  await recordChange(open, `endUser.${verb}`, changed, auditedEndUser);
  await addOutboxEntry(open.transaction, 'endUser', changed.after.id);
}

function auditedEndUser({ status, maximumConcurrentStreams }: AuditableEndUser): AuditedEndUser {
  return { status, maximumConcurrentStreams };
}

function versioned(user: EndUserRecord): VersionedEndUser {
  return { endUser: endUserResponse(user), etag: etagOf(user.version) };
}
