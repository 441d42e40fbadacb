import type { Database } from '../database/database';
import type { ContentAsset, ContentStatus, Prisma } from '../generated/prisma/client';
import { type ContentRecord, typedContent } from './content-assets';
import type { Page } from './page';
import { readPage } from './read-page';
import { searchPrefix } from './search-key';
import { parseSort, readingOrder } from './sort';

/** The sort fields of content, each with its column. */
const orders = {
  createdAt: (order) => ({ createdAt: order }),
  updatedAt: (order) => ({ updatedAt: order }),
  title: (order) => ({ titleKey: order }),
  contentId: (order) => ({ contentIdKey: order }),
} satisfies Record<string, (order: Prisma.SortOrder) => Prisma.ContentAssetOrderByWithRelationInput>;

/** The filters and sort order of a list. */
export type ContentQuery = Partial<Pick<ContentAsset, 'contentId' | 'kind'>> & {
  licenseProfileId?: string;
  status?: ContentStatus;
  /** Prefix of title or contentId. */
  search?: string;
  sort?: keyof typeof orders | `-${keyof typeof orders}`;
};

/**
 * A page, oldest first, and the total, from the same snapshot. Archived content is listed only if the query asks for
 * that status.
 */
export async function readContentPage(
  database: Database,
  environmentId: string,
  { contentId, kind, licenseProfileId, status, search, sort = 'createdAt' }: ContentQuery,
  page: Page,
): Promise<{ items: ContentRecord[]; total: number }> {
  const startsWith = search === undefined ? undefined : await searchPrefix(database, search);
  const where = {
    environmentId,
    status: status ?? { not: 'archived' },
    ...(contentId === undefined ? {} : { contentId }),
    ...(kind === undefined ? {} : { kind }),
    ...(licenseProfileId === undefined ? {} : { licenseProfileId }),
    ...(startsWith === undefined ? {} : { OR: [{ titleKey: { startsWith } }, { contentIdKey: { startsWith } }] }),
  } satisfies Prisma.ContentAssetWhereInput;
  const sorted = parseSort<keyof typeof orders>(sort);
  return readPage(database, page, {
    count: (transaction) => transaction.contentAsset.count({ where }),
    ids: (transaction, { take, skip, direction }) => {
      const order = readingOrder(sorted, direction);
      return transaction.contentAsset.findMany({
        where,
        orderBy: [orders[sorted.field](order), { id: order }],
        take,
        skip,
        select: { id: true },
      });
    },
    read: async (transaction, page) => (await transaction.contentAsset.findMany({ where: page })).map(typedContent),
  });
}
