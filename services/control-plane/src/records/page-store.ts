import type { Prisma, PrismaClient } from '../generated/prisma/client';
import type { Page } from './page';

/** A part of a list, counted from either end. */
export interface Window {
  take: number;
  skip: number;
  direction: 'asc' | 'desc';
}

/** How to read a list. `read` orders by time and id, both in the window's direction. */
interface PagedList<Item> {
  count(transaction: Prisma.TransactionClient): Promise<number>;
  read(transaction: Prisma.TransactionClient, window: Window): Promise<Item[]>;
}

/**
 * A page and the number of all, of one moment. What lies in the second half of the list is read from its end, so that
 * the last page costs no more than the first: PostgreSQL has to walk over every record that a page passes over.
 */
export async function readPage<Item>(
  prisma: PrismaClient,
  page: Page,
  list: PagedList<Item>,
): Promise<{ items: Item[]; total: number }> {
  return prisma.$transaction(
    async (transaction) => {
      const total = await list.count(transaction);
      const window = windowOf(page, total);
      const items = window.take === 0 ? [] : await list.read(transaction, window);
      return { items: window.direction === 'asc' ? items : items.reverse(), total };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

/** The shorter way to a page. */
export function windowOf({ limit, offset }: Page, total: number): Window {
  const take = Math.max(0, Math.min(limit, total - offset));
  const behind = Math.max(0, total - offset - take);
  return behind < offset ? { take, skip: behind, direction: 'desc' } : { take, skip: offset, direction: 'asc' };
}
