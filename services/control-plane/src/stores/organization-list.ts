import type { Database } from '../database/database';
import type { OrganizationStatus, Prisma } from '../generated/prisma/client';
import { type OrganizationRecord, withProjectCount } from './organizations';
import type { Page } from './page';
import { readPage } from './read-page';
import { escapeLike } from './search-key';
import { parseSort, readingOrder } from './sort';

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
  /** Prefix of the name, or of the administrator's e-mail address: each in the form in which it is compared. */
  search?: { name: string; email: string } | undefined;
  sort?: keyof typeof orders | `-${keyof typeof orders}`;
}

/** How many organizations wait for the operator's approval. */
export async function countPendingOrganizations(database: Database): Promise<number> {
  return database.organization.count({ where: { status: 'pending' } });
}

/**
 * A page, oldest first, and the total, from the same snapshot. Archived organizations are listed only if the query asks
 * for that status.
 */
export async function readOrganizationPage(
  database: Database,
  { onlyId, status, search, sort = 'createdAt' }: OrganizationQuery,
  page: Page,
): Promise<{ items: OrganizationRecord[]; total: number }> {
  const where = {
    // For its own callers, an archived organization does not exist.
    ...(status === undefined || onlyId !== undefined ? { NOT: { status: 'archived' } as const } : {}),
    ...(status === undefined ? {} : { status }),
    ...(onlyId === undefined ? {} : { id: onlyId }),
    ...(search === undefined
      ? {}
      : {
          OR: [
            { companyNameKey: { startsWith: escapeLike(search.name) } },
            { administratorEmailKey: { startsWith: escapeLike(search.email) } },
          ],
        }),
  } satisfies Prisma.OrganizationWhereInput;
  const sorted = parseSort<keyof typeof orders>(sort);
  return readPage(database, page, {
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
