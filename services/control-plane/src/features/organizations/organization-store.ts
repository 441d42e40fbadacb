import { isUniqueViolation } from '../../database/unique-violation';
import type { OrganizationStatus, Prisma, PrismaClient } from '../../generated/prisma/client';
import {
  addEntriesForOrganization,
  addEntriesForRestoredOrganization,
} from '../../publishing/dependent-outbox-entries';
import { addOutboxEntry } from '../../publishing/outbox-entries';
import type { Actor, ConditionalChange } from '../../records/change';
import type { IfMatch } from '../../records/if-match';
import { lockRow } from '../../records/lock-row';
import type { Page } from '../../records/page';
import { readPage } from '../../records/read-page';
import { recordAudit } from '../../records/record-audit';
import { requireMatch } from '../../records/require-changeable';
import { runExclusiveChange } from '../../records/run-change';
import { escapeLike } from '../../records/search-prefix';
import { parseSort, readingOrder } from '../../records/sort';
import { organizationResponse } from './organization-response';

const withProjectCount = {
  _count: { select: { projects: { where: { status: { not: 'archived' } } } } },
} satisfies Prisma.OrganizationInclude;

/** An organization with its number of projects. */
export type OrganizationRecord = Prisma.OrganizationGetPayload<{ include: typeof withProjectCount }>;

/** The fields that can be changed; absent ones stay as they are. */
export type OrganizationChange = Partial<
  Pick<
    OrganizationRecord,
    | 'companyName'
    | 'companyNameKey'
    | 'website'
    | 'registrationNumber'
    | 'administratorName'
    | 'administratorEmail'
    | 'administratorEmailKey'
    | 'planId'
    | 'status'
  >
>;

/** A change with its context. */
interface OrganizationUpdate {
  ifMatch: IfMatch;
  change: OrganizationChange;
  /** Names of the fields that the caller sent. */
  fields: string[];
  actor: Actor;
  now: Date;
}

/** The sort fields of organizations, each with its column. */
const orders = {
  createdAt: (order) => ({ createdAt: order }),
  name: (order) => ({ companyNameKey: order }),
} satisfies Record<string, (order: Prisma.SortOrder) => Prisma.OrganizationOrderByWithRelationInput>;

/** The filters and sort order of a list. */
export interface OrganizationQuery {
  /** The only organization that may be listed; undefined: all of them. */
  onlyId?: string | undefined;
  status?: OrganizationStatus | undefined;
  /** Prefix of the name or the administrator's e-mail address, normalized by `comparisonKey`. */
  search?: string | undefined;
  sort?: keyof typeof orders | `-${keyof typeof orders}`;
}

/** Customer companies. */
export class OrganizationStore {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * A page, oldest first, and the total, from the same snapshot. Archived organizations are listed only if the
   * query asks for that status.
   */
  async list(
    { onlyId, status, search, sort = 'createdAt' }: OrganizationQuery,
    page: Page,
  ): Promise<{ items: OrganizationRecord[]; total: number }> {
    const startsWith = search === undefined ? undefined : escapeLike(search);
    const where = {
      // For its own callers, an archived organization does not exist.
      ...(status === undefined || onlyId !== undefined ? { NOT: { status: 'archived' } as const } : {}),
      ...(status === undefined ? {} : { status }),
      ...(onlyId === undefined ? {} : { id: onlyId }),
      ...(startsWith === undefined
        ? {}
        : { OR: [{ companyNameKey: { startsWith } }, { administratorEmailKey: { startsWith } }] }),
    } satisfies Prisma.OrganizationWhereInput;
    const sorted = parseSort<keyof typeof orders>(sort);
    return readPage(this.prisma, page, {
      count: (transaction) => transaction.organization.count({ where }),
      ids: (transaction, { take, skip, direction }) => {
        const order = readingOrder(sorted, direction);
        return transaction.organization.findMany({
          where,
          orderBy: [orders[sorted.field](order), { id: order }],
          take,
          skip,
          select: { id: true },
        });
      },
      read: (transaction, page) => transaction.organization.findMany({ where: page, include: withProjectCount }),
    });
  }

  async read(id: string): Promise<OrganizationRecord> {
    return this.prisma.organization.findUniqueOrThrow({ where: { id }, include: withProjectCount });
  }

  /** `stale` if it has none of the expected versions; `taken` if another company has the name or the administrator. */
  async update(id: string, update: OrganizationUpdate): Promise<OrganizationRecord | 'stale' | 'taken'> {
    const { ifMatch, change, fields, actor, now } = update;
    try {
      return await runExclusiveChange(this.prisma, actor, async (transaction) => {
        const before = await transaction.organization.findUniqueOrThrow({ where: { id }, include: withProjectCount });
        const { count } = await transaction.organization.updateMany({
          where: { id, status: { not: 'archived' }, ...(ifMatch === 'any' ? {} : { version: { in: ifMatch } }) },
          data: { ...change, version: { increment: 1 }, updatedAt: now },
        });
        if (count === 0) return 'stale';
        const updated = await transaction.organization.findUniqueOrThrow({ where: { id }, include: withProjectCount });
        await addOutboxEntry(transaction, 'organization', updated.id);
        await recordAudit(transaction, actor, { ...entryOf('update', updated, before), details: { fields } }, now);
        return updated;
      });
    } catch (error) {
      if (isUniqueViolation(error)) return 'taken';
      throw error;
    }
  }

  /** Archives the organization; an archived one stays as it is. Throws `precondition_failed`. */
  async archive(id: string, { actor, ifMatch }: ConditionalChange, now: Date): Promise<void> {
    await runExclusiveChange(this.prisma, actor, async (transaction) => {
      await lockRow(transaction, 'organization', id);
      const organization = await transaction.organization.findUniqueOrThrow({
        where: { id },
        include: withProjectCount,
      });
      if (organization.status === 'archived') return;
      requireMatch(organization, ifMatch, 'organization');
      const archived = await transaction.organization.update({
        where: { id },
        data: { status: 'archived', version: { increment: 1 }, updatedAt: now },
        include: withProjectCount,
      });
      await addOutboxEntry(transaction, 'organization', organization.id);
      await addEntriesForOrganization(transaction, organization.id);
      await recordAudit(transaction, actor, entryOf('archive', archived, organization), now);
    });
  }

  /** Restores an archived organization as suspended; others stay as they are. Throws `precondition_failed`. */
  async restore(id: string, { actor, ifMatch }: ConditionalChange, now: Date): Promise<OrganizationRecord> {
    return runExclusiveChange(this.prisma, actor, async (transaction) => {
      await lockRow(transaction, 'organization', id);
      const present = await transaction.organization.findUniqueOrThrow({ where: { id }, include: withProjectCount });
      requireMatch(present, ifMatch, 'organization');
      if (present.status !== 'archived') return present;
      const restored = await transaction.organization.update({
        where: { id },
        data: { status: 'suspended', version: { increment: 1 }, updatedAt: now },
        include: withProjectCount,
      });
      await addOutboxEntry(transaction, 'organization', restored.id);
      await addEntriesForRestoredOrganization(transaction, restored.id);
      await recordAudit(transaction, actor, entryOf('restore', restored, present), now);
      return restored;
    });
  }
}

function entryOf(verb: 'update' | 'archive' | 'restore', after: OrganizationRecord, before: OrganizationRecord) {
  return {
    organizationId: after.id,
    action: `organization.${verb}`,
    recordType: 'organization',
    recordId: after.id,
    before: organizationResponse(before),
    after: organizationResponse(after),
  };
}
