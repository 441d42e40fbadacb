import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { migrate } from './migrate';

const packageFolder = join(__dirname, '..', '..');
const ownMigrations = join(packageFolder, 'prisma', 'migrations');

let server: Client;
let database: string;
/** The URL of an empty database. */
let url: string;
/** A copy of the migrations. */
let directory: string;

async function connect(connectionString: string | undefined): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

async function query<Row extends object>(sql: string): Promise<Row[]> {
  const client = await connect(url);
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

async function addMigration(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'migration.sql'), sql);
}

async function namesOfOwnMigrations(): Promise<string[]> {
  const entries = await readdir(ownMigrations, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Runs the migration process. */
async function runProcess(environment: Record<string, string>) {
  const script = [require.resolve('tsx/cli'), join(packageFolder, 'src', 'migrate.ts')];
  // The packages may not be built.
  const env = { PATH: process.env.PATH, NODE_OPTIONS: '--conditions=source', ...environment };
  const run = promisify(execFile)(process.execPath, script, { env });
  return run.then(
    ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ exitCode: code, stdout, stderr }),
  );
}

beforeAll(async () => {
  server = await connect(process.env.TEST_POSTGRES_URL);
});

beforeEach(async () => {
  database = `migrate_${randomUUID()}`;
  await server.query(`CREATE DATABASE "${database}"`);
  const databaseUrl = new URL(process.env.TEST_POSTGRES_URL ?? '');
  databaseUrl.pathname = `/${database}`;
  url = databaseUrl.href;
  directory = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(ownMigrations, directory, { recursive: true });
});

afterEach(async () => {
  await server.query(`DROP DATABASE "${database}" WITH (FORCE)`);
  await rm(directory, { recursive: true });
});

afterAll(() => server.end());

test('an empty database gets every migration in order, and a second run applies none', async () => {
  expect(await migrate(url)).toEqual(await namesOfOwnMigrations());
  expect(await migrate(url)).toEqual([]);
  expect(await query('SELECT FROM outbox_entry')).toEqual([]);
});

test('concurrent runs apply each migration once', async () => {
  const runs = await Promise.all([1, 2, 3, 4, 5].map(() => migrate(url)));
  expect(runs.flat()).toEqual(await namesOfOwnMigrations());
});

test('a migration that was edited after it was applied is rejected, and nothing after it is applied', async () => {
  const [first] = await migrate(url, { directory });
  await appendFile(join(directory, first ?? '', 'migration.sql'), '-- edited\n');
  await addMigration('99990101000000_next', 'CREATE TABLE next ()');
  await expect(migrate(url, { directory })).rejects.toThrow(`migration ${first} was edited after it was applied`);
  expect(await query("SELECT FROM pg_tables WHERE tablename = 'next'")).toHaveLength(0);
});

test('a failed migration leaves nothing behind, keeps earlier ones, and can be fixed and run again', async () => {
  const applied: string[] = [];
  await addMigration('99990101000000_good', 'CREATE TABLE good ()');
  await addMigration('99990102000000_bad', 'CREATE TABLE bad (); SELECT nothing;');
  const run = migrate(url, { directory, onApplied: (name) => applied.push(name) });
  await expect(run).rejects.toThrow('migration 99990102000000_bad: column "nothing" does not exist');
  expect(applied.at(-1)).toBe('99990101000000_good');
  expect(await query("SELECT FROM pg_tables WHERE tablename = 'bad'")).toHaveLength(0);
  await addMigration('99990102000000_bad', 'CREATE TABLE bad ();');
  expect(await migrate(url, { directory })).toEqual(['99990102000000_bad']);
});

test('a migration that cannot be recorded is not applied', async () => {
  await migrate(url);
  await addMigration('99990101000000_vandal', 'CREATE TABLE vandal (); DROP TABLE _prisma_migrations;');
  await expect(migrate(url, { directory })).rejects.toThrow('migration 99990101000000_vandal');
  expect(await query("SELECT FROM pg_tables WHERE tablename = 'vandal'")).toHaveLength(0);
  expect(await query('SELECT FROM _prisma_migrations')).not.toHaveLength(0);
});

test('a migration that `prisma migrate deploy` left unfinished must be resolved first', async () => {
  await migrate(url);
  await query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', 'x', '99990101000000_half')`);
  await expect(migrate(url)).rejects.toThrow('migration 99990101000000_half failed earlier; resolve it first');
});

test('migrations of a newer release are ignored', async () => {
  await addMigration('99990101000000_newer', 'CREATE TABLE newer ()');
  await migrate(url, { directory });
  expect(await migrate(url)).toEqual([]);
});

test('a database that was created before the first release is rejected with what to do, and nothing is applied', async () => {
  const former = await mkdtemp(join(tmpdir(), 'migrations-'));
  await mkdir(join(former, '20260101000000_initial'));
  await writeFile(join(former, '20260101000000_initial', 'migration.sql'), 'CREATE TABLE organization ()');
  await migrate(url, { directory: former });
  await rm(former, { recursive: true });
  expect(await runProcess({ DATABASE_URL: url })).toEqual({
    exitCode: 1,
    stdout: 'schema public\n',
    stderr:
      'migration failed: this database was created before the first release: ' +
      'drop it, create it again and empty Redis (with npm start: delete the folder .local)\n',
  });
  expect(await query('SELECT FROM pg_tables WHERE schemaname = current_schema()')).toHaveLength(2);
});

test('migrations run in UTC, whatever time zone the database is set to', async () => {
  await server.query(`ALTER DATABASE "${database}" SET timezone = 'America/New_York'`);
  await addMigration('99990101000000_zone', "CREATE TABLE zone AS SELECT current_setting('TimeZone') AS name");
  await migrate(url, { directory });
  expect(await query('SELECT name FROM zone')).toEqual([{ name: 'UTC' }]);
});

test('a migration may take longer than the database allows statements', async () => {
  await server.query(`ALTER DATABASE "${database}" SET statement_timeout = '1s'`);
  await addMigration('99990101000000_slow', 'SELECT pg_sleep(1.2)');
  expect(await migrate(url, { directory })).toContain('99990101000000_slow');
});

test('waiting for another migrating process times out, and nothing is applied', async () => {
  const other = await connect(url);
  // The lock of `prisma migrate deploy`.
  await other.query('SELECT pg_advisory_lock(72707369)');
  await expect(migrate(url, { lockWaitMilliseconds: 200 })).rejects.toThrow('another process has been migrating');
  await other.end();
  expect(await query('SELECT FROM pg_tables WHERE schemaname = current_schema()')).toHaveLength(0);
});

test('the process prints the schema and each migration that it applied', async () => {
  const [first] = await namesOfOwnMigrations();
  expect(await runProcess({ DATABASE_URL: url })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`schema public\napplied ${first}\n`),
  });
  expect(await runProcess({ DATABASE_URL: url })).toMatchObject({
    exitCode: 0,
    stdout: 'schema public\nnothing to apply\n',
  });
});

test('the process bypasses a pooler if it has a direct URL', async () => {
  const pooler = 'postgresql://user@localhost:1/none';
  expect(await runProcess({ DATABASE_URL: pooler, DATABASE_DIRECT_URL: url })).toMatchObject({ exitCode: 0 });
  expect(await query('SELECT FROM _prisma_migrations')).not.toHaveLength(0);
});

test('the process fails with one clear line if it cannot run', async () => {
  expect(await runProcess({})).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'migration failed: DATABASE_URL is required\n',
  });
  expect(await runProcess({ DATABASE_URL: url, DATABASE_DIRECT_URL: 'nonsense' })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'migration failed: DATABASE_DIRECT_URL must be an absolute URL with postgresql: or postgres:\n',
  });
  const refused = await runProcess({ DATABASE_URL: 'postgresql://user:secret@localhost:1/none' });
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^migration failed: .*ECONNREFUSED.*\n$/);
  expect(refused.stderr).not.toContain('secret');
});
