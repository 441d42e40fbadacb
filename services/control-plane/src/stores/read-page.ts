import type { Database, Transaction } from '../database/database';
import type { Page } from './page';

/** A part of a list, counted from its start or its end. */
export interface Window {
  take: number;
  skip: number;
  direction: 'asc' | 'desc';
}

/** How to read a list. */
interface PagedList<Item extends { id: string }> {
  count(transaction: Transaction): Promise<number>;
  /** The ids of a window in the list's order and then by id, both in the window's direction. */
  ids(transaction: Transaction, window: Window): Promise<{ id: string }[]>;
  /** The records with these ids, in any order. */
  read(transaction: Transaction, where: { id: { in: string[] } }): Promise<Item[]>;
}

/**
 * A page and the total, from the same snapshot. The second half of the list is read from its end, so that the last page
 * costs no more than the first: PostgreSQL has to walk over everything before the page. It walks only the index to find
 * the ids, and then reads the records of the page.
 */
export async function readPage<Item extends { id: string }>(
  prisma: Database,
  page: Page,
  list: PagedList<Item>,
): Promise<{ items: Item[]; total: number }> {
  return prisma.$transaction(
    async (transaction) => {
      const total = await list.count(transaction);
      const window = windowOf(page, total);
      const ids = window.take === 0 ? [] : (await list.ids(transaction, window)).map(({ id }) => id);
      const items = ids.length === 0 ? [] : await list.read(transaction, { id: { in: ids } });
      return { items: inOrder(items, window.direction === 'asc' ? ids : ids.reverse()), total };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

function inOrder<Item extends { id: string }>(items: Item[], ids: string[]): Item[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The shorter way to a page. */
export function windowOf({ limit, offset }: Page, total: number): Window {
  const take = Math.max(0, Math.min(limit, total - offset));
  const behind = Math.max(0, total - offset - take);
  return behind < offset ? { take, skip: behind, direction: 'desc' } : { take, skip: offset, direction: 'asc' };
}
