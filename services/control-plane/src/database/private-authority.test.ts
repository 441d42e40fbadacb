import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSelfSignedCertificate, runOnDatabase, startPostgres } from '@multi-drm/test-kit';
import { isDatabaseUnavailable } from './database-unavailable';
import { migrate } from './migrate';
import { createPrismaClient } from './prisma-client';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let folder: string;
/** Files of authorities. */
let [ours, another] = ['', ''];

/** Writes a file into the data folder as the server's user, who must own its private key. */
const writeOnServer = (name: string, content: string) =>
  runOnDatabase(
    postgres.url,
    `COPY (SELECT '${Buffer.from(content).toString('base64')}') TO PROGRAM 'umask 077; base64 -d > ${name}'`,
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authority-'));
  [ours, another] = [join(folder, 'ours.pem'), join(folder, 'another.pem')];
  const { certificate, privateKey } = makeSelfSignedCertificate();
  await writeFile(ours, certificate);
  await writeFile(another, makeSelfSignedCertificate().certificate);
  postgres = await startPostgres();
  await writeOnServer('server.crt', certificate);
  await writeOnServer('server.key', privateKey);
  await runOnDatabase(postgres.url, 'ALTER SYSTEM SET ssl = on');
  await runOnDatabase(postgres.url, 'SELECT pg_reload_conf()');
});

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

const urlWith = (parameters: string) => `${postgres.url}?sslmode=verify-full${parameters}`;

test('a server with a certificate of a private authority is used, encrypted, if sslrootcert names it', async () => {
  const url = urlWith(`&sslrootcert=${encodeURIComponent(ours)}`);
  await migrate(url);
  const prisma = createPrismaClient(url);
  expect(await prisma.$queryRaw`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`).toEqual([{ ssl: true }]);
  expect(await prisma.outboxEntry.count()).toBe(0);
  await prisma.$disconnect();
});

test.each([
  ['no authority', () => ''],
  ['another authority', () => `&sslrootcert=${encodeURIComponent(another)}`],
])('with %s it is refused', async (_which, parameters) => {
  await expect(migrate(urlWith(parameters()))).rejects.toThrow('self-signed certificate');
  const prisma = createPrismaClient(urlWith(parameters()));
  expect(isDatabaseUnavailable(await prisma.outboxEntry.count().catch((error: unknown) => error))).toBe(true);
  await prisma.$disconnect();
});
