import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect as connectTcp, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloneDatabase } from '@multi-drm/test-kit';
import { isDatabaseUrl, schemaOfUrl } from './database-url';
import { createPrismaClient } from './prisma-client';

test.each([
  'postgresql://user:secret@db.example/drm',
  'POSTGRES://db:5432/drm?sslmode=verify-full',
  'postgresql:///drm',
  'postgresql://user:secret@/drm?host=/cloudsql/project:region:instance',
  'postgresql://user@/drm?schema=app&host=%2Fvar%2Frun%2Fpostgresql',
  'postgresql://user:secret@%2Fvar%2Frun%2Fpostgresql/drm',
])('%s is a URL of PostgreSQL', (url) => expect(isDatabaseUrl(url)).toBe(true));

test.each([
  '',
  'drm',
  'mysql://db/drm',
  'https://@/drm?host=/cloudsql/a',
  'postgresql://user:secret@/drm',
  'postgresql://user:secret@/drm?host=',
  'postgresql://user:secret@:x/drm?host=/cloudsql/a',
])('%j is none', (url) => expect(isDatabaseUrl(url)).toBe(false));

test.each([
  ['postgresql://db/drm', undefined],
  ['postgresql://db/drm?schema=', undefined],
  ['postgresql://db/drm?schema=app%20role', 'app role'],
  ['postgresql://user:secret@/drm?host=/cloudsql/a:b:c&schema=app', 'app'],
])('the schema of %s is %j', (url, schema) => expect(schemaOfUrl(url)).toBe(schema));

test('a database is reached through the Unix socket of a folder whose name has colons', async () => {
  const database = await cloneDatabase();
  const { username, password, port, pathname } = new URL(database.directUrl);
  const parent = await mkdtemp(join(tmpdir(), 'cloudsql-'));
  const folder = join(parent, 'project:region:instance');
  await mkdir(folder);
  const relay = createServer((socket) => socket.pipe(connectTcp(Number(port), '127.0.0.1')).pipe(socket));
  await new Promise<void>((resolve) => relay.listen(join(folder, '.s.PGSQL.5432'), resolve));
  const prisma = createPrismaClient(`postgresql://${username}:${password}@${pathname}?host=${folder}`);
  expect(await prisma.outboxEntry.count()).toBe(0);
  await prisma.$disconnect();
  await new Promise((resolve) => relay.close(resolve));
  await rm(parent, { recursive: true });
  await database.drop();
});
