import type { EndUser, EndUserStatus, Prisma, PrismaClient } from '../../generated/prisma/client';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Actor, Change, ConditionalChange } from '../../records/change';
import { type CreatedOnce, createOnce } from '../../records/create-once';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import { organizationOfProject } from '../../records/organization-of-project';
import type { Page } from '../../records/page';
import { readPage } from '../../records/read-page';
import { recordAudit } from '../../records/record-audit';
import { requireChangeable, requireMatch } from '../../records/require-changeable';
import { requireParentUnarchived, requireUnarchived } from '../../records/require-unarchived';
import { runChange } from '../../records/run-change';
import { searchPrefix } from '../../records/search-prefix';
import { parseSort, readingOrder } from '../../records/sort';

export type EndUserRecord = EndUser;

/** The fields of an end user that can be changed; absent ones stay as they are. */
export type EndUserFields = Pick<
  Prisma.EndUserUncheckedUpdateManyInput & Prisma.EndUserCreateManyInput,
  'displayName' | 'email' | 'status' | 'maximumConcurrentStreams' | 'attributes'
>;

/** The sort fields of end users, each with its column. */
const orders = {
  createdAt: (order) => ({ createdAt: order }),
  subject: (order) => ({ subjectKey: order }),
  displayName: (order) => ({ displayNameKey: order }),
  email: (order) => ({ emailKey: order }),
} satisfies Record<string, (order: Prisma.SortOrder) => Prisma.EndUserOrderByWithRelationInput>;

/** The filters and sort order of a list. */
export interface EndUserQuery {
  subject?: string;
  status?: EndUserStatus;
  /** Prefix of subject, display name or e-mail address. */
  search?: string;
  sort?: keyof typeof orders | `-${keyof typeof orders}`;
}

/** End users of projects. */
export class EndUserStore {
  constructor(private readonly prisma: PrismaClient) {}

  /** A page, oldest first, and the total, from the same snapshot. Erased users are in no list. */
  async list(
    projectId: string,
    { subject, status, search, sort = 'createdAt' }: EndUserQuery,
    page: Page,
  ): Promise<{ items: EndUser[]; total: number }> {
    const startsWith = search === undefined ? undefined : await searchPrefix(this.prisma, search);
    const searched = ['subjectKey', 'displayNameKey', 'emailKey'].map((column) => ({ [column]: { startsWith } }));
    const where = {
      projectId,
      status: status ?? ({ not: 'archived' } as const),
      ...(subject === undefined ? {} : { subject }),
      ...(startsWith === undefined ? {} : { OR: searched }),
    };
    const sorted = parseSort<keyof typeof orders>(sort);
    return readPage(this.prisma, page, {
      count: (transaction) => transaction.endUser.count({ where }),
      ids: (transaction, { take, skip, direction }) => {
        const order = readingOrder(sorted, direction);
        return transaction.endUser.findMany({
          where,
          orderBy: [orders[sorted.field](order), { id: order }],
          take,
          skip,
          select: { id: true },
        });
      },
      read: (transaction, page) => transaction.endUser.findMany({ where: page }),
    });
  }

  async read(id: string): Promise<EndUser> {
    return this.prisma.endUser.findUniqueOrThrow({ where: { id } });
  }

  /** Updates the user with this subject, or creates one; of concurrent calls, only one creates it. */
  async synchronize(
    projectId: string,
    subject: string,
    fields: EndUserFields,
    change: Change,
    now: Date,
  ): Promise<CreatedOnce<EndUser>> {
    return createOnce(this.prisma, change, now, async (transaction) => {
      await requireUnarchived(transaction, 'project', projectId);
      for (;;) {
        const [updated] = await transaction.endUser.updateManyAndReturn({
          where: { projectId, subject },
          data: { ...fields, version: { increment: 1 }, synchronizedAt: now },
        });
        if (updated !== undefined) {
          await noteChange(transaction, updated, 'update', fields, change.actor, now);
          return updated;
        }
        // Waits for another transaction that is creating the user; once it has committed, there is a user to update.
        const [created] = await transaction.endUser.createManyAndReturn({
          data: { ...fields, projectId, subject, createdAt: now, synchronizedAt: now },
          skipDuplicates: true,
        });
        if (created !== undefined) {
          await noteChange(transaction, created, 'create', {}, change.actor, now);
          return created;
        }
      }
    });
  }

  /** Throws `conflict` if the user is erased, `precondition_failed` if it has none of the expected versions. */
  async update(id: string, ifMatch: IfMatch, fields: EndUserFields, { actor }: Change, now: Date): Promise<EndUser> {
    return runChange(this.prisma, actor, async (transaction) => {
      await requireParentUnarchived(transaction, 'project', 'end_user', id);
      await lockRow(transaction, 'end_user', id);
      requireChangeable(await transaction.endUser.findUniqueOrThrow({ where: { id } }), ifMatch, 'end user');
      const updated = await transaction.endUser.update({
        where: { id },
        data: { ...fields, version: { increment: 1 } },
      });
      await noteChange(transaction, updated, 'update', fields, actor, now);
      return updated;
    });
  }

  /** Erases personal data unless that is already done. Throws `precondition_failed`. */
  async erase(id: string, { actor, ifMatch }: ConditionalChange, now: Date): Promise<void> {
    await runChange(this.prisma, actor, async (transaction) => {
      await lockRow(transaction, 'end_user', id);
      const present = await transaction.endUser.findUniqueOrThrow({ where: { id } });
      if (present.status === 'archived') return;
      requireMatch(present, ifMatch, 'end user');
      const erased = await transaction.endUser.update({
        where: { id },
        data: {
          status: 'archived',
          subject: null,
          displayName: null,
          email: null,
          attributes: {},
          version: { increment: 1 },
        },
      });
      await noteChange(transaction, erased, 'erase', {}, actor, now);
    });
  }
}

/**
 * Records the names of the changed fields, never the values: personal data must not outlive the user in the audit
 * trail.
 */
async function noteChange(
  transaction: Prisma.TransactionClient,
  { id, projectId }: EndUser,
  verb: 'create' | 'update' | 'erase',
  fields: EndUserFields,
  actor: Actor,
  now: Date,
): Promise<void> {
  const organizationId = await organizationOfProject(transaction, projectId);
  const details = verb === 'update' ? { fields: Object.keys(fields) } : {};
  const entry = { organizationId, action: `endUser.${verb}`, recordType: 'endUser', recordId: id, details };
  await recordAudit(transaction, actor, entry, now);
  await addOutboxEntry(transaction, 'endUser', id);
}
