import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../generated/prisma/client';
import { insertTenant } from '../testing/insert-tenant';
import { openDatabase } from '../testing/test-database';
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

let prisma: PrismaClient;
beforeAll(async () => {
  ({ prisma } = await openDatabase());
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

/** The query plan over many rows, which are inserted into the table for that and removed again. */
async function planOverMany(insert: string, table: string, query: string, parentId: string): Promise<string> {
  const undone = new Error('undone');
  let plan = '';
  const run = prisma.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(insert, parentId);
    await transaction.$executeRawUnsafe(`ANALYZE ${table}`);
    const rows = await transaction.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${query}`, parentId, 'n0001%');
    plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    throw undone;
  });
  await run.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return plan;
}

test('a prefix is found by the indexes among much content', async () => {
  const plan = await planOverMany(
    `INSERT INTO content_asset (id, environment_id, content_id, kind, title, audio_languages, subtitle_languages, updated_at)
     SELECT gen_random_uuid(), $1::uuid, 'N' || md5(n::text), 'vod', 'N' || md5((-n)::text), '{}', '{}', now()
     FROM generate_series(1, 5000) n`,
    'content_asset',
    'SELECT * FROM content_asset WHERE environment_id = $1::uuid AND (title_key LIKE $2 OR content_id_key LIKE $2)',
    (await insertTenant(prisma)).environmentId,
  );
  for (const column of ['title_key', 'content_id_key']) {
    expect(plan).toContain(`Bitmap Index Scan on content_asset_environment_id_${column}_id_status_kind_idx`);
    expect(plan).toContain(`(${column} >= 'n0001'::text)`);
  }
});

test('a prefix is found by the indexes among many end users', async () => {
  const plan = await planOverMany(
    `INSERT INTO end_user (id, project_id, subject, display_name, email)
     SELECT gen_random_uuid(), $1::uuid, 'N' || md5(n::text), 'N' || md5((-n)::text), 'N' || md5((2 * n)::text)
     FROM generate_series(1, 5000) n`,
    'end_user',
    `SELECT * FROM end_user WHERE project_id = $1::uuid
     AND (subject_key LIKE $2 OR display_name_key LIKE $2 OR email_key LIKE $2)`,
    (await insertTenant(prisma)).projectId,
  );
  for (const column of ['subject_key', 'display_name_key', 'email_key']) {
    expect(plan).toContain(`Bitmap Index Scan on end_user_project_id_${column}_id_status_idx`);
    expect(plan).toContain(`(${column} >= 'n0001'::text)`);
  }
});
