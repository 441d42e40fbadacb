import type { Database } from '../database/database';
import type { EndUserStatus, Prisma } from '../generated/prisma/client';
import type { EndUserRecord } from './end-users';
import type { Page } from './page';
import { readPage } from './read-page';
import { searchPrefix } from './search-key';
import { parseSort, readingOrder } from './sort';

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

/** A page, oldest first, and the total, from the same snapshot. Erased users are in no list. */
export async function readEndUserPage(
  database: Database,
  projectId: string,
  { subject, status, search, sort = 'createdAt' }: EndUserQuery,
  page: Page,
): Promise<{ items: EndUserRecord[]; total: number }> {
  const startsWith = search === undefined ? undefined : await searchPrefix(database, search);
  const searched = ['subjectKey', 'displayNameKey', 'emailKey'].map((column) => ({ [column]: { startsWith } }));
  const where = {
    projectId,
    status: status ?? ({ not: 'archived' } as const),
    ...(subject === undefined ? {} : { subject }),
    ...(startsWith === undefined ? {} : { OR: searched }),
  };
  const sorted = parseSort<keyof typeof orders>(sort);
  return readPage(database, page, {
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
