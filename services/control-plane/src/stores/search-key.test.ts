import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOnDatabase } from '@multi-drm/test-kit';
import { migrate, shippedMigrations } from '../database/migrate';
import { createPrismaClient } from '../database/prisma-client';
import { searchKeys } from './search-key';

const server = () => process.env.TEST_POSTGRES_URL ?? '';
const migrations = join(__dirname, '../../prisma/migrations');
/** The last migration before the one that replaced the function. */
const former = '20261129140000_subject_hash_key';

const locales = [
  "LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C'",
  "LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C'",
];

let name: string;
let url: string;

/** Creates a database of this locale with the migrations of the former release. */
async function createFormer(locale: string): Promise<void> {
  name = `locale_${randomUUID()}`;
  await runOnDatabase(server(), `CREATE DATABASE "${name}" ${locale} TEMPLATE template0`);
  url = Object.assign(new URL(server()), { pathname: `/${name}` }).href;
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'));
  for (const migration of shippedMigrations().filter((shipped) => shipped <= former)) {
    await cp(join(migrations, migration), join(directory, migration), { recursive: true });
  }
  await migrate(url, { directory });
  await rm(directory, { recursive: true });
}

afterEach(() => runOnDatabase(server(), `DROP DATABASE "${name}" WITH (FORCE)`));

test.each(locales)('in a database of %s, texts are searched alike', async (locale) => {
  await createFormer(locale);
  await migrate(url);
  const prisma = createPrismaClient(url);
  const keys: [string, string][] = [
    ['Ключ', 'ключ'],
    ['ÉLO', 'élo'],
    ['E\u0301lo', 'élo'],
    ['FILM', 'film'],
    ['İstanbul', 'istanbul'],
    ['ILIK ılık', 'ilik ilik'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ὁδός', 'ὁδόσ'],
    ['ＡＢ', 'ab'],
    ['日本', '日本'],
    ['a%_\\\n', 'a%_\\\n'],
    ['x'.repeat(300), 'x'.repeat(256)],
  ];
  expect(
    await searchKeys(
      prisma,
      keys.map(([text]) => text),
    ),
  ).toEqual(keys.map(([, key]) => key));
  expect(await searchKeys(prisma, [])).toEqual([]);
  await prisma.$disconnect();
});

/** The rows of a table, each with its place on disk, which changes with every write. */
const rows = (table: string) => runOnDatabase(url, `SELECT *, ctid::text FROM ${table} ORDER BY id`);

async function insertRecords(title: string): Promise<void> {
  const id = `'${randomUUID()}'`;
  await runOnDatabase(
    url,
    `INSERT INTO organization (id, company_name, company_name_key, country, plan_id, administrator_name, administrator_email,
       administrator_email_key, agreement_version, agreement_accepted_at, updated_at)
     VALUES (${id}, 'a', 'a', 'DE', 'trial', 'a', 'a', 'a', '1', now(), now())`,
  );
  await runOnDatabase(
    url,
    `INSERT INTO project (id, organization_id, name, updated_at) VALUES (${id}, ${id}, 'a', now())`,
  );
  await runOnDatabase(
    url,
    `INSERT INTO environment (id, project_id, kind, name, updated_at) VALUES (${id}, ${id}, 'development', 'a', now())`,
  );
  await runOnDatabase(
    url,
    `INSERT INTO content_asset (id, environment_id, content_id, kind, title, updated_at) VALUES (${id}, ${id}, 'FILM', 'vod', $1, now())`,
    [title],
  );
  await runOnDatabase(
    url,
    `INSERT INTO end_user (id, project_id, subject, display_name, email) VALUES (${id}, ${id}, 'VIEWER', $1, 'JOSÉ@example.com')`,
    [title],
  );
}

test.each(locales)('in a database of %s, records of the former release are found by their new keys', async (locale) => {
  await createFormer(locale);
  await insertRecords('İstanbul, КЛЮЧ');
  const [content, endUser] = [await rows('content_asset'), await rows('end_user')];
  await migrate(url);
  const newKeys = { title_key: 'istanbul, ключ', content_id_key: 'film', ctid: expect.anything() };
  expect(await rows('content_asset')).toEqual([{ ...content[0], ...newKeys }]);
  const keys = { subject_key: 'viewer', display_name_key: 'istanbul, ключ', email_key: 'josé@example.com' };
  expect(await rows('end_user')).toEqual([{ ...endUser[0], ...keys, ctid: expect.anything() }]);
});

test('records whose keys stay are not written', async () => {
  await createFormer("LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'");
  await insertRecords('Élo, КЛЮЧ');
  const before = [await rows('content_asset'), await rows('end_user')];
  await migrate(url);
  expect([await rows('content_asset'), await rows('end_user')]).toEqual(before);
});
