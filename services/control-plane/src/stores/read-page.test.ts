import { randomUUID } from 'node:crypto';
import { cloneDatabase } from '@multi-drm/testing';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { windowOf } from './read-page';

test.each([
  [{ limit: 50, offset: 0 }, 100, { take: 50, skip: 0, direction: 'asc' }],
  [{ limit: 50, offset: 50 }, 100, { take: 50, skip: 0, direction: 'desc' }],
  [{ limit: 50, offset: 90 }, 100, { take: 10, skip: 0, direction: 'desc' }],
  [{ limit: 10, offset: 20 }, 100, { take: 10, skip: 20, direction: 'asc' }],
  [{ limit: 10, offset: 60 }, 100, { take: 10, skip: 30, direction: 'desc' }],
  [{ limit: 10, offset: 100 }, 100, { take: 0, skip: 0, direction: 'desc' }],
  [{ limit: 10, offset: 0 }, 0, { take: 0, skip: 0, direction: 'asc' }],
])('the page %j of %i records is read as %j', (page, total, window) => {
  expect(windowOf(page, total)).toEqual(window);
});

test('every page of a list, read in either direction, contains the same records', () => {
  const list = Array.from({ length: 23 }, (_, index) => index);
  for (let offset = 0; offset <= 25; offset += 1) {
    const { take, skip, direction } = windowOf({ limit: 7, offset }, list.length);
    const ordered = direction === 'asc' ? list : list.toReversed();
    const read = ordered.slice(skip, skip + take);
    expect(direction === 'asc' ? read : read.reverse()).toEqual(list.slice(offset, offset + 7));
  }
});

const contentOrders = ['created_at', 'updated_at', 'title_key', 'content_id_key'].map(
  (column) => ['content_asset', 'environment_id', column, "status <> 'archived' AND kind = 'vod'"] as const,
);
const endUserOrders = ['created_at', 'subject_key', 'display_name_key', 'email_key'].map(
  (column) => ['end_user', 'project_id', column, "status <> 'archived'"] as const,
);

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let prisma: PrismaClient;
beforeAll(async () => {
  database = await cloneDatabase();
  prisma = createPrismaClient(database.url);
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

test.each([...contentOrders, ...endUserOrders])(
  'a page of %s by %s and %s skips others in the index only',
  async (table, parent, column, filter) => {
    const text = await prisma.$transaction(async (transaction) => {
      // PostgreSQL may find a full read cheaper for such a small table.
      await transaction.$executeRaw`SET LOCAL enable_seqscan = off`;
      await transaction.$executeRaw`SET LOCAL enable_bitmapscan = off`;
      const rows = await transaction.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(
        `EXPLAIN SELECT id FROM ${table} WHERE ${parent} = $1::uuid AND ${filter}
         ORDER BY ${column}, id LIMIT 50 OFFSET 1000`,
        randomUUID(),
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(text).toContain(`Index Only Scan using ${table}_${parent}_${column}_id_status`);
    expect(text).not.toContain('Sort');
  },
);
