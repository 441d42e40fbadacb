import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { primariesOf, type RedisClient } from '@multi-drm/service-kit';
import { cloneDatabase, keysLike, startOwnRedis, type TestDatabase, type TestRedisOfRun } from '@multi-drm/test-kit';
import { createPrismaClient } from '../database/prisma-client';
import type { PrismaClient } from '../generated/prisma/client';
import { endUserKey } from '../testing/end-user-key';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { publishingStore } from '../testing/publishing-store';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { connectToRedis, emptyRedis } from '../testing/redis';
import { addEntriesForEverything } from './all-outbox-entries';
import { Completeness } from './completeness';
import { RedisFull } from './document-writer';
import { LostPublications } from './lost-publications';
import { addOutboxEntry } from './outbox-entries';
import { PendingDocuments } from './pending-documents';
import { Refill } from './refill';

let database: TestDatabase;
let prisma: PrismaClient;
let server: TestRedisOfRun;
let redis: RedisClient;
let tenant: InsertedTenant;
let log: LogEntry[];
/** Keys in the order in which lost publications were written. */
let written: string[];

beforeAll(async () => {
  server = await startOwnRedis();
  redis = await connectToRedis(server.settings);
});
beforeEach(async () => {
  [database] = await Promise.all([cloneDatabase(), emptyRedis(redis)]);
  prisma = createPrismaClient(database.url);
  log = [];
  written = [];
  tenant = await insertTenant(prisma);
  await addContents(3);
  const { projectId } = tenant;
  await prisma.endUser.create({ data: { projectId, subject: 'viewer' } });
  const client = { name: 'LMS', accessKeyHash: 'a'.repeat(64), allEnvironments: true };
  await prisma.apiClient.create({ data: { ...client, projectId, clientId: randomUUID() } });
  await addEntriesForEverything(prisma);
  await publish();
  await refill();
});
afterEach(async () => {
  await prisma.$disconnect();
  await database.drop();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

async function addContents(count: number): Promise<void> {
  const { environmentId } = tenant;
  await prisma.contentAsset.createMany({
    data: Array.from({ length: count }, () => ({
      environmentId,
      contentId: randomUUID(),
      kind: 'vod' as const,
      title: 'A lesson',
    })),
  });
}

const parts = () => ({
  prisma,
  ...publishingStore(redis),
  completeness: new Completeness(redis, randomUUID),
  logger: recordingLogger(log),
  now: () => new Date(),
});

const publish = () => new PendingDocuments({ ...parts(), random: Math.random }).publish();

async function refill(): Promise<void> {
  const refilling = new Refill(parts());
  while (await refilling.next());
}

async function restore(isStopped = () => false): Promise<void> {
  const store = parts();
  const write: typeof store.write = (publication) => {
    written.push(publication.key);
    return store.write(publication);
  };
  await new LostPublications({ ...store, write }).restore(isStopped);
}

/** Everything that is published. */
async function held(): Promise<Record<string, Record<string, string>>> {
  const keys = await keysLike(primariesOf(redis), 'published:*');
  return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await redis.hgetall(key)])));
}

/** Copies everything that is published. Returns a function that starts Redis from this copy, as far as anyone can tell. */
async function copy(): Promise<() => Promise<void>> {
  const copied = await held();
  return async () => {
    await emptyRedis(redis);
    await Promise.all(Object.entries(copied).map(([key, fields]) => redis.hset(key, fields)));
  };
}

/** Revokes the API client, blocks the viewer, archives one content and changes another. */
async function changeFour(): Promise<Record<'client' | 'viewer' | 'archived' | 'changed', string>> {
  const [client] = await prisma.apiClient.findMany();
  const [viewer] = await prisma.endUser.findMany();
  const [archived, changed] = await prisma.contentAsset.findMany({ orderBy: { id: 'asc' } });
  if (!client || !viewer || !archived || !changed) throw new Error('there are no such records');
  await prisma.contentAsset.update({ where: { id: changed.id }, data: { kind: 'live' } });
  await prisma.contentAsset.update({ where: { id: archived.id }, data: { status: 'archived' } });
  await prisma.apiClient.update({ where: { id: client.id }, data: { revokedAt: new Date() } });
  await prisma.endUser.update({ where: { id: viewer.id }, data: { status: 'blocked' } });
  for (const { id } of [changed, archived]) await addOutboxEntry(prisma, 'content', id);
  await addOutboxEntry(prisma, 'apiClient', client.id);
  await addOutboxEntry(prisma, 'endUser', viewer.id);
  await publish();
  return {
    client: publishedKeys.apiClient(client.clientId),
    viewer: await endUserKey(prisma, tenant.environmentId, 'viewer'),
    archived: publishedKeys.content(tenant.environmentId, archived.contentId),
    changed: publishedKeys.content(tenant.environmentId, changed.contentId),
  };
}

const markOf = ({ [publishedKeys.deployment]: deployment }: Awaited<ReturnType<typeof held>>) =>
  Number(deployment?.mark);

test('only what an older copy lacks is written again: tombstones and blocked viewers first, then the rest', async () => {
  const startFromCopy = await copy();
  const { client, viewer, archived, changed } = await changeFour();
  const before = await held();
  await startFromCopy();
  await restore();
  expect(written.slice(0, 3).toSorted()).toEqual([client, viewer, archived].toSorted());
  expect(written.slice(3)).toEqual([changed]);
  const after = await held();
  expect(markOf(after)).toBeGreaterThan(markOf(before));
  expect({ ...after, [publishedKeys.deployment]: null }).toEqual({ ...before, [publishedKeys.deployment]: null });
  expect(log).toMatchObject([{ level: 'warn', message: 'Redis has lost publications, which are written again' }]);
});

test('a viewer that is no longer blocked, and an archived license profile, do not come back with an older copy', async () => {
  const { projectId } = tenant;
  const profile = await prisma.licenseProfile.create({
    data: { projectId, name: 'hd', maximumHeight: 720, tracks: [] },
  });
  const [user] = await prisma.endUser.findMany();
  const setTo = async (status: 'blocked' | 'active', profileStatus: 'active' | 'archived') => {
    await prisma.endUser.update({ where: { id: user?.id ?? '' }, data: { status } });
    await prisma.licenseProfile.update({ where: { id: profile.id }, data: { status: profileStatus } });
    await addOutboxEntry(prisma, 'endUser', user?.id ?? '');
    await addOutboxEntry(prisma, 'licenseProfile', profile.id);
    await publish();
  };
  await setTo('blocked', 'active');
  const startFromCopy = await copy();
  await setTo('active', 'archived');
  await startFromCopy();
  await restore();
  const keys = [
    await endUserKey(prisma, tenant.environmentId, 'viewer'),
    publishedKeys.licenseProfile(projectId, 'hd'),
  ];
  for (const key of keys) expect(await redis.hget(key, 'document')).toBe('');
});

test('the mark is raised only after everything lost is written', async () => {
  const startFromCopy = await copy();
  await changeFour();
  await startFromCopy();
  const before = markOf(await held());
  let calls = 0;
  await restore(() => {
    calls += 1;
    return calls > 3;
  });
  expect(written.length).toBeGreaterThan(0);
  expect(markOf(await held())).toBe(before);
  await restore();
  expect(markOf(await held())).toBeGreaterThan(before);
});

test('on a full Redis the mark stays until everything lost has room, and the loss is logged once', async () => {
  const startFromCopy = await copy();
  await addContents(1);
  await addEntriesForEverything(prisma);
  await publish();
  await startFromCopy();
  const before = markOf(await held());
  const limit = (maxmemory: string) =>
    Promise.all(primariesOf(redis).map((primary) => primary.config('SET', 'maxmemory', maxmemory)));
  await limit('1');
  const publications = new LostPublications(parts());
  for (const _look of [1, 2]) await expect(publications.restore(() => false)).rejects.toThrow(RedisFull);
  expect(markOf(await held())).toBe(before);
  await limit('0');
  await publications.restore(() => false);
  expect(markOf(await held())).toBeGreaterThan(before);
  expect(log).toHaveLength(1);
});

test('more than a page is written again, each record once', async () => {
  const startFromCopy = await copy();
  await addContents(1_100);
  await addEntriesForEverything(prisma);
  await publish();
  const before = await held();
  await startFromCopy();
  await restore();
  expect(written).toHaveLength(new Set(written).size);
  expect(Object.keys(await held())).toEqual(expect.arrayContaining(Object.keys(before)));
});

test('if nothing is lost, nothing is written and the mark stays', async () => {
  await changeFour();
  await restore();
  const before = await held();
  await restore();
  expect([written, log]).toEqual([[], []]);
  expect(await held()).toEqual(before);
});

test('a mark that no committed publication has, but playback may know, is passed', async () => {
  const before = markOf(await held());
  await prisma.$queryRaw`SELECT nextval('publication_revision')`;
  await restore();
  expect(written).toEqual([]);
  expect(markOf(await held())).toBeGreaterThan(before + 1);
});

test('an emptied Redis is left to the refill, whose generation begins with a mark above all former ones', async () => {
  await changeFour();
  const before = markOf(await held());
  await emptyRedis(redis);
  await restore();
  expect([written, await held()]).toEqual([[], {}]);
  await refill();
  expect(markOf(await held())).toBeGreaterThan(before);
  await restore();
  expect(written).toEqual([]);
});

test('a sequence that has fallen behind the mark in Redis is advanced', async () => {
  const before = markOf(await held());
  await redis.hset(publishedKeys.deployment, 'mark', before + 1_000);
  await restore();
  await changeFour();
  expect(markOf(await held())).toBeGreaterThan(before + 1_000);
});

test('the project of a blocked viewer that cannot be written is not complete any more', async () => {
  const startFromCopy = await copy();
  const { viewer } = await changeFour();
  await startFromCopy();
  await redis.set(viewer, 'a key of another type');
  await restore();
  expect(await redis.exists(publishedKeys.project(tenant.projectId))).toBe(0);
});
