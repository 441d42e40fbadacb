import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import type { Database, Transaction } from '../../database/database';
import { readSubjectBuckets } from '../../publishing/subject-hash-key';
import type { Change, ConditionalChange } from '../../records/change';
import type { Changes } from '../../records/changes';
import type { IfMatch } from '../../records/if-match';
import type { OpenChange } from '../../records/open-change';
import { type RecordReply, recordReply } from '../../records/record-reply';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { endUserResponse } from '../../responses/end-users';
import { type EndUserQuery, readEndUserPage } from '../../stores/end-user-list';
import {
  changeEndUser,
  eraseEndUser,
  insertEndUser,
  lockEndUser,
  lockEndUserOfSubject,
  readEndUser,
} from '../../stores/end-users';
import { addErasure, keepBlock, lockKeptBlock, passBlockOn } from '../../stores/erasures';
import type { Page } from '../../stores/page';
import { readSubjectHashes } from './subject-hashes';

/** Maximum size of a user's attributes, in bytes of JSON. */
const maximumAttributesBytes = 4 * 1024;

type EndUserReply = RecordReply<ControlPlaneSchemas['EndUserResponse']>;

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

  async read(userId: string): Promise<EndUserReply> {
    return recordReply(await readEndUser(this.options.database, userId), endUserResponse);
  }

  /**
   * Creates the user, or updates the sent fields of the one with this subject; of concurrent calls, only one creates
   * it. If a viewer with this subject was erased while it was blocked, the new user is blocked, too. Does not wait for the publication: viewers are synchronized by the thousands, one request after the other, and
   * playback treats a viewer that it does not know yet as an active one. Throws `invalid_request`.
   */
  async synchronize(
    projectId: string,
    { subject, ...fields }: ControlPlaneSchemas['SynchronizeEndUserRequest'],
    change: Change,
  ): Promise<EndUserReply> {
    requireSmall(fields.attributes);
    const values = { ...fields, projectId, subject };
    const synchronize = async (open: OpenChange) => {
      const { transaction, now } = open;
      await requireUnarchived(transaction, 'project', projectId);
      for (;;) {
        const before = await lockEndUserOfSubject(transaction, values);
        if (before !== undefined) {
          const after = await changeEndUser(transaction, before.id, { ...fields, synchronizedAt: now });
          await open.record('endUser', 'update', { before, after, details: { fields: Object.keys(fields) } });
          return after;
        }
        const kept = await this.lockKeptBlock(transaction, values);
        // Undefined after another transaction has created the user: now there is one to update.
        const created = await insertEndUser(transaction, kept ? { ...values, status: 'blocked' } : values, now);
        if (created !== undefined) {
          if (kept !== undefined) await passBlockOn(transaction, kept, created.id);
          await open.record('endUser', 'create', { after: created });
          return created;
        }
      }
    };
    const outcome = await this.options.changes.createOnce(change, synchronize, { waits: false });
    return 'repeatedId' in outcome ? this.read(outcome.repeatedId) : recordReply(outcome.created, endUserResponse);
  }

  /**
   * Updates a user if it has not changed since the caller read it. Throws `invalid_request`, `precondition_failed`, or
   * `conflict` if the user is erased.
   */
  async update(
    userId: string,
    fields: ControlPlaneSchemas['UpdateEndUserRequest'],
    change: ConditionalChange,
  ): Promise<EndUserReply> {
    requireSmall(fields.attributes);
    const updated = await this.options.changes.run(change, async (open) => {
      const before = await lockChangeableUser(open, userId, change.ifMatch);
      const after = await changeEndUser(open.transaction, userId, fields);
      await open.record('endUser', 'update', { before, after, details: { fields: Object.keys(fields) } });
      return after;
    });
    return recordReply(updated, endUserResponse);
  }

  private async lockKeptBlock(
    transaction: Transaction,
    { projectId, subject }: { projectId: string; subject: string },
  ) {
    const buckets = await readSubjectBuckets(transaction);
    return lockKeptBlock(transaction, projectId, buckets.hashOf(projectId, subject));
  }

  /**
   * Blocks or unblocks a user; repeating it does nothing. Throws `precondition_failed`, or `conflict` if the user is
   * erased.
   */
  async setStatus(userId: string, status: 'active' | 'blocked', change: ConditionalChange): Promise<EndUserReply> {
    const changed = await this.options.changes.run(change, async (open) => {
      const before = await lockChangeableUser(open, userId, change.ifMatch);
      if (before.status === status) return before;
      const after = await changeEndUser(open.transaction, userId, { status });
      await open.record('endUser', 'update', { before, after, details: { fields: ['status'] } });
      return after;
    });
    return recordReply(changed, endUserResponse);
  }

  /**
   * Erases personal data and keeps the id; repeating it does nothing. The subject becomes free for a new user, but a block stays. The
   * viewer's sessions are ended and its events made anonymous in the background. Throws `precondition_failed`.
   */
  async erase(userId: string, change: ConditionalChange): Promise<void> {
    await this.options.changes.run(change, async (open) => {
      const { transaction } = open;
      const before = await lockEndUser(transaction, userId);
      const { status, subject, projectId } = before;
      if (status === 'archived' || subject === null) return;
      requireMatch(before, change.ifMatch, 'end user');
      const hashes = await readSubjectHashes(transaction, projectId, subject);
      if (status === 'blocked') await keepBlock(transaction, before, hashes);
      await addErasure(transaction, { endUserId: userId, projectId, subject }, hashes);
      const after = await eraseEndUser(transaction, userId);
      await open.record('endUser', 'erase', { before, after });
    });
  }
}

/** Locks a user and its project. Throws `conflict` if one of them is archived, and `precondition_failed`. */
async function lockChangeableUser({ transaction }: OpenChange, userId: string, ifMatch: IfMatch) {
  await requireParentUnarchived(transaction, 'project', 'end_user', userId);
  const user = await lockEndUser(transaction, userId);
  requireChangeable(user, ifMatch, 'end user');
  return user;
}

function requireSmall(attributes: ControlPlaneSchemas['EndUserAttributes'] | undefined): void {
  if (attributes === undefined || Buffer.byteLength(JSON.stringify(attributes), 'utf8') <= maximumAttributesBytes)
    return;
  throw invalidRequest({ attributes: [`must be at most ${maximumAttributesBytes} bytes of JSON`] });
}
