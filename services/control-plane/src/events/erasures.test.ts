import { randomUUID } from 'node:crypto';
import type { RedisClient } from '@multi-drm/service-kit';
import {
  OrganizationStreams,
  packRequestEvents,
  RedisClock,
  RedisSlotStore,
  readSlotEvent,
  slotEventsKey,
  streamMember,
} from '@multi-drm/slots';
import { packSlotEvent } from '@multi-drm/slots/testing';
import { dumpDatabase, dumpRedis, startRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/prisma/client';
import { readSubjectBuckets } from '../publishing/subject-hash-key';
import { addErasure } from '../stores/erasures';
import { type InsertedTenant, insertTenant } from '../testing/insert-tenant';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { ended, started, toldSession } from '../testing/told-events';
import { EntryStore } from './entry-store';
import { Erasures } from './erasures';
import { addRecordEvent } from './event-outbox';
import { createEventPool } from './event-pool';

const subject = 'ada@example.com';
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let prisma: PrismaClient;
let databaseUrl: string;
let pool: Pool;
let slots: RedisSlotStore;
let streams: OrganizationStreams;
let tenant: InsertedTenant;
let environmentId: string;

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
  ({ prisma, url: databaseUrl } = await openDatabase());
  pool = createEventPool(databaseUrl, recordingLogger([]));
  streams = new OrganizationStreams(redis, new RedisClock(() => performance.now()));
  slots = new RedisSlotStore(redis, {
    idempotentRepeatSeconds: 30,
    sessionIdRetentionSeconds: 86_400,
    buckets: () => readSubjectBuckets(prisma),
    eventBytes: () => 2 ** 20,
  });
});
beforeEach(async () => {
  await redis.flushall();
  await prisma.$executeRaw`TRUNCATE event, session, event_outbox, event_set_aside, erasure, erased_subject, viewer_day`;
  tenant = await insertTenant(prisma);
  ({ environmentId } = tenant);
});
afterAll(async () => {
  await pool.end();
  redis.disconnect();
  await server.stop();
});

const list = { kind: 'slot', key: slotEventsKey(7), droppedKey: 'slot-events-dropped:{7}' } as const;
const store = (...entries: Buffer[]) =>
  new EntryStore(pool, () => readSubjectBuckets(prisma)).store(
    0,
    entries.map((bytes) => ({ list, bytes })),
  );
const run = () => new Erasures({ pool, slots, streams }).run();

/** Erases the viewer as the service does. */
async function erase(): Promise<string> {
  const { projectId } = tenant;
  const buckets = await readSubjectBuckets(prisma);
  const ofEnvironments = { [environmentId]: buckets.hashOf(environmentId, subject) };
  await addErasure(prisma, { projectId, subject }, { ofProject: buckets.hashOf(projectId, subject), ofEnvironments });
  return (await prisma.erasure.findFirstOrThrow({ where: { projectId } })).id;
}

/** Lets the time come for the last pass. */
async function runLastPass(): Promise<void> {
  const past = new Date(Date.now() - 25_000);
  await prisma.erasure.updateMany({ data: { erasedAt: past, nextPassAt: past } });
  await run();
}

async function reserve(ofSubject = subject): Promise<string> {
  const sessionId = randomUUID();
  const reserved = await slots.reserve({
    environmentId,
    subject: ofSubject,
    sessionId,
    reservationId: randomUUID(),
    buckets: await readSubjectBuckets(prisma),
    requestHash: 'hash',
    limit: null,
    limitCeiling: null,
    atStreamLimit: 'reject',
    organizationIsFull: false,
    startsAreUsedUp: false,
    replacesSessionId: null,
    lifetimeMilliseconds: 3_600_000,
    details: toldSession(environmentId).details,
    grant: Buffer.from('grant'),
  });
  expect(reserved.outcome).toBe('reserved');
  const member = streamMember({ environmentId, subject: ofSubject, sessionId });
  await streams.add(tenant.organizationId, [{ member, expiresAt: Date.now() + 3_600_000 }]);
  return sessionId;
}

/** Moves what the slots have told to PostgreSQL. */
async function readSlotEvents(): Promise<void> {
  for (const key of await redis.keys('slot-events:*')) {
    await store(...(await redis.lrangeBuffer(key, 0, -1)));
    await redis.del(key);
  }
}

const session = (changes = {}) => toldSession(environmentId, { subject, ...changes });
const events = () => prisma.event.findMany({ where: { scopeId: environmentId }, orderBy: { id: 'asc' } });
const sessions = () => prisma.session.findMany({ where: { environmentId } });

/** Everything that both stores hold, bytes of PostgreSQL in hexadecimal. */
async function dumpAll(): Promise<string> {
  const reader = new Redis(server.url);
  const dumps = await Promise.all([dumpDatabase(databaseUrl), dumpRedis(reader)]);
  reader.disconnect();
  return dumps.join('\n');
}

test('the sessions of an erased viewer end as terminated, those of others go on', async () => {
  const sessionId = await reserve();
  await reserve('another viewer');
  await erase();
  await run();
  expect(await slots.countOf(environmentId, subject)).toBe(0);
  expect(await slots.countOf(environmentId, 'another viewer')).toBe(1);
  const lists = await Promise.all((await redis.keys('slot-events:*')).map((key) => redis.lrangeBuffer(key, 0, -1)));
  const told = lists.flat().map(readSlotEvent);
  expect(told).toContainEqual(expect.objectContaining({ sessionId, kind: 'ended', reason: 'terminated' }));
});

test('a session that Redis has lost cannot come back after the erasure of its viewer', async () => {
  const lost = session();
  await store(packSlotEvent(started(lost)));
  await erase();
  await run();
  const again = {
    ...lost,
    buckets: await readSubjectBuckets(prisma),
    startedAt: new Date(lost.startedAt / 1000),
    expiresAt: new Date(lost.expiresAt),
    lifetimeMilliseconds: 3_600_000,
    limit: null,
    organizationIsFull: false,
    grant: Buffer.from('grant'),
  };
  expect(await slots.reserveAnew(again)).toBe('known');
});

test('a viewer that starts again after the erasure keeps its sessions and its name', async () => {
  await erase();
  await prisma.erasure.updateMany({ data: { erasedAt: new Date(Date.now() - 60_000) } });
  await prisma.erasedSubject.updateMany({ data: { erasedAt: new Date(Date.now() - 60_000) } });
  await reserve();
  await readSlotEvents();
  await run();
  expect(await slots.countOf(environmentId, subject)).toBe(1);
  expect(await events()).toMatchObject([{ subject }]);
});

test('the subject in events, sessions and the outbox becomes the same random id, and reporting is removed', async () => {
  const own = session();
  await store(packSlotEvent(started(own)), packSlotEvent(started(session({ subject: 'another viewer' }))));
  await addRecordEvent(
    prisma,
    { type: 'end_user.blocked', scopeId: tenant.projectId, subject },
    { recordType: 'endUser', recordId: randomUUID(), changedFields: ['status'] },
  );
  const id = await erase();
  await run();
  expect((await sessions()).map((row) => [row.subject, row.reporting]).sort()).toEqual(
    [
      [id, null],
      ['another viewer', own.details.reporting],
    ].sort(),
  );
  const [one, other] = (await events()).toSorted((a, b) => Number(a.subject !== id) - Number(b.subject !== id));
  expect(one).toMatchObject({ subject: id, sessionId: own.sessionId });
  expect(one?.data).not.toHaveProperty('reporting');
  expect(other).toMatchObject({ subject: 'another viewer', data: { reporting: own.details.reporting } });
  expect(await prisma.eventOutboxEntry.findFirst({ where: { scopeId: tenant.projectId } })).toMatchObject({
    subject: id,
  });
});

test('an erased viewer is counted among the viewers of its days without its name, and a new one with the same subject beside it', async () => {
  const before = { startedAt: (Date.now() - 3_600_000) * 1000 };
  await store(
    packSlotEvent(ended(session(before))),
    packSlotEvent(ended(session({ ...before, subject: 'another viewer' }))),
  );
  const id = await erase();
  await run();
  const viewers = async () =>
    (await prisma.viewerDay.findMany({ where: { environmentId } })).map((viewer) => viewer.subject);
  expect((await viewers()).sort()).toEqual([id, 'another viewer'].sort());
  await store(packSlotEvent(started(session({ startedAt: (Date.now() + 11_000) * 1000 }))));
  await runLastPass();
  expect((await viewers()).sort()).toEqual([id, 'another viewer', subject].sort());
});

test('an end and a refusal that are told after the erasure are stored without the subject', async () => {
  const own = session();
  await store(packSlotEvent(started(own)));
  const id = await erase();
  await runLastPass();
  const refused = {
    ...own.details,
    kind: 'session.refused' as const,
    environmentId,
    subject,
    sessionId: own.sessionId,
    reservationId: null,
    at: Date.now() - 30_000,
    count: 1,
    code: 'subject_blocked',
    limit: null,
    activeSessions: null,
    backend: null,
    vendorStatus: null,
    milliseconds: null,
  };
  await store(packSlotEvent(ended(own, 'terminated', 90)));
  const requests = { kind: 'request', key: 'request-events:{0}', droppedKey: 'request-events-dropped:{0}' } as const;
  await new EntryStore(pool, () => readSubjectBuckets(prisma)).store(0, [
    { list: requests, bytes: packRequestEvents([refused]) },
  ]);
  const stored = await events();
  expect(stored.map(({ type }) => type).sort()).toEqual(['session.ended', 'session.refused', 'session.started']);
  expect(new Set(stored.map((event) => event.subject))).toEqual(new Set([id]));
});

test('a minute after an erasure with an active session, nothing that is stored names the viewer', async () => {
  await reserve();
  await readSlotEvents();
  await store(Buffer.concat([packSlotEvent(started(session())).subarray(0, 120)]));
  const hex = Buffer.from(subject).toString('hex');
  const before = await dumpAll();
  expect(before).toContain(subject);
  expect(before).toContain(hex);
  await erase();
  await run();
  await readSlotEvents();
  await runLastPass();
  const after = await dumpAll();
  expect(after).not.toContain(subject);
  expect(after).not.toContain(hex);
  expect(await sessions()).toMatchObject([{ endReason: 'terminated' }]);
});

test('hashes of erased viewers are removed after a week', async () => {
  await erase();
  await prisma.erasedSubject.updateMany({ data: { erasedAt: new Date(Date.now() - 8 * 86_400_000) } });
  await run();
  expect(await prisma.erasedSubject.count({ where: { environmentId } })).toBe(0);
});
