import { randomUUID } from 'node:crypto';
import type { RedisClient } from '@multi-drm/service-kit';
import {
  packRequestEvents,
  type RequestEvent,
  requestEventsKey,
  type SlotEvent,
  slotEventsKey,
  UnreadEvents,
} from '@multi-drm/slots';
import { packSlotEvent } from '@multi-drm/slots/testing';
import { startNetworkLink, startRedis } from '@multi-drm/test-kit';
import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/prisma/client';
import { readSubjectBuckets } from '../publishing/subject-hash-key';
import { eventually } from '../testing/eventually';
import { insertTenant } from '../testing/insert-tenant';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { ended, resumed, started, toldSession } from '../testing/told-events';
import { EntryStore } from './entry-store';
import { lowestEventIdAt } from './event-id';
import { createEventPool } from './event-pool';
import { EventReader, sharesOf } from './event-reader';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: RedisClient;
let prisma: PrismaClient;
let databaseUrl: string;
let pool: Pool;
let environmentId: string;
let log: LogEntry[];
/** What a test has started, undone in reverse order. */
let closers: (() => Promise<unknown>)[];

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
  ({ prisma, url: databaseUrl } = await openDatabase());
  pool = createEventPool(databaseUrl, recordingLogger([]));
});
beforeEach(async () => {
  await redis.flushall();
  await prisma.eventSetAside.deleteMany();
  ({ environmentId } = await insertTenant(prisma));
  log = [];
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});
afterAll(async () => {
  await pool.end();
  redis.disconnect();
  await server.stop();
});

/** A reader as every control plane has one. `unread` replaces some of its calls to Redis. */
function createReader({ ownPool = pool, unread = {} as Partial<UnreadEvents> } = {}): EventReader {
  const calls = new UnreadEvents(redis);
  const reader = new EventReader({
    unread: {
      lengths: () => calls.lengths(),
      read: (list, most) => calls.read(list, most),
      remove: (list, entries) => calls.remove(list, entries),
      ...unread,
    },
    entries: new EntryStore(ownPool, () => readSubjectBuckets(prisma)),
    logger: recordingLogger(log),
    pollMilliseconds: 10,
  });
  closers.push(() => reader.stop());
  return reader;
}

/** Appends events to the list of a bucket, as playback does. */
async function tell(...events: SlotEvent[]): Promise<void> {
  await redis.rpush(slotEventsKey(7), ...events.map(packSlotEvent));
}

/** The stored events of the environment, the oldest first. */
const events = () => prisma.event.findMany({ where: { scopeId: environmentId }, orderBy: { id: 'asc' } });
const types = async () => (await events()).map(({ type }) => type);
const sessions = () => prisma.session.findMany({ where: { environmentId } });
const unreadKeys = () => redis.keys('*-events:*');

test('a start and an end become two events and a session, and leave their list', async () => {
  const session = toldSession(environmentId);
  await tell(started(session), ended(session));
  expect(await createReader().readOnce()).toBe(false);
  const startedAt = new Date(session.startedAt / 1000);
  const endedAt = new Date(startedAt.getTime() + 12_500);
  const { contentId, reporting, ...details } = session.details;
  const common = {
    scopeId: environmentId,
    subject: session.subject,
    sessionId: session.sessionId,
    reservationId: session.reservationId,
    contentId,
  };
  const stored = await events();
  expect(stored).toMatchObject([
    {
      ...common,
      type: 'session.started',
      time: startedAt,
      data: {
        ...details,
        reporting,
        startedAt: startedAt.toISOString(),
        expiresAt: new Date(session.expiresAt).toISOString(),
        replacesSessionId: null,
        activeSessions: 1,
        recovered: false,
      },
    },
    {
      ...common,
      type: 'session.ended',
      time: endedAt,
      data: {
        ...details,
        reporting,
        reason: 'released',
        startedAt: startedAt.toISOString(),
        endedAt: endedAt.toISOString(),
        durationSeconds: 12.5,
        licenseRequests: 2,
      },
    },
  ]);
  expect(stored[0]?.id.slice(0, 13)).toBe(lowestEventIdAt(startedAt.getTime()).slice(0, 13));
  expect(await sessions()).toMatchObject([
    {
      ...details,
      contentId,
      reporting,
      subject: session.subject,
      sessionId: session.sessionId,
      reservationId: session.reservationId,
      startedAt,
      startedMicroseconds: 123,
      endedAt,
      endReason: 'released',
      licenseRequests: 2,
      lookUpAt: null,
    },
  ]);
  expect(await unreadKeys()).toEqual([]);
});

test('a session without an end is open, and looked up a minute after its end', async () => {
  const session = toldSession(environmentId);
  await tell(started(session));
  await createReader().readOnce();
  const aMinuteLater = new Date(session.expiresAt + 60_000);
  const expected = { endedAt: null, endReason: null, lookUpAt: aMinuteLater };
  expect(await sessions()).toMatchObject([expected]);
});

test('what was stored and not removed is not stored again', async () => {
  const session = toldSession(environmentId);
  await tell(started(session), resumed(session), ended(session));
  const isKilled = { remove: () => Promise.reject(new Error('killed')) };
  await expect(createReader({ unread: isKilled }).readOnce()).rejects.toThrow('killed');
  const before = [await events(), await sessions()];
  expect(before[0]).toHaveLength(3);
  await createReader().readOnce();
  expect([await events(), await sessions()]).toEqual(before);
  expect(await prisma.eventSetAside.count()).toBe(0);
  expect(await unreadKeys()).toEqual([]);
});

test('two readers at once store everything once', async () => {
  const all = Array.from({ length: 400 }, () => toldSession(environmentId));
  for (const [index, session] of all.entries()) {
    await redis.rpush(slotEventsKey(index % 200), ...[started(session), ended(session)].map(packSlotEvent));
  }
  const readers = [createReader(), createReader()];
  for (const reader of readers) reader.start();
  await eventually(async () => expect(await unreadKeys()).toEqual([]));
  for (const reader of readers) await reader.stop();
  const stored = await types();
  expect(stored.filter((type) => type === 'session.started')).toHaveLength(400);
  expect(stored.filter((type) => type === 'session.ended')).toHaveLength(400);
  expect(log).toEqual([]);
});

test('a portion that another reader is storing is left to it', async () => {
  await tell(started(toldSession(environmentId)));
  const reader = createReader();
  await prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT pg_advisory_xact_lock(1702259571, 0)::text`;
    expect(await reader.readOnce()).toBe(true);
  });
  expect(await types()).toEqual([]);
  expect(await reader.readOnce()).toBe(false);
  expect(await types()).toEqual(['session.started']);
});

test('a list is not trimmed if it begins with another entry than the one that was read', async () => {
  const [read, next] = [toldSession(environmentId), toldSession(environmentId)];
  await tell(started(read));
  const unread = new UnreadEvents(redis);
  const whileStored = async (list: Parameters<UnreadEvents['read']>[0], most: number) => {
    const entries = await unread.read(list, most);
    // Another reader removes what was read, and playback appends.
    await redis.lpop(slotEventsKey(7));
    await tell(started(next));
    return entries;
  };
  await createReader({ unread: { read: whileStored } }).readOnce();
  expect(await redis.llen(slotEventsKey(7))).toBe(1);
});

test('an end without a start adds the start', async () => {
  const session = toldSession(environmentId);
  await tell(ended(session, 'expired'));
  await createReader().readOnce();
  const recovered = { recovered: true, replacesSessionId: null, activeSessions: null };
  expect(await events()).toMatchObject([
    { type: 'session.started', data: recovered },
    { type: 'session.ended', data: { reason: 'expired' } },
  ]);
  expect(await sessions()).toMatchObject([{ endReason: 'expired' }]);
});

test.each([
  ['in the same portion', 1],
  ['later', 2],
])('only the first end of a session counts: another one comes %s', async (_when, rounds) => {
  const session = toldSession(environmentId);
  const reader = createReader();
  await tell(started(session), ended(session, 'evicted'));
  if (rounds === 2) await reader.readOnce();
  await tell(ended(session, 'expired', 20), resumed(session, 25));
  await reader.readOnce();
  expect(await types()).toEqual(['session.started', 'session.ended']);
  expect(await sessions()).toMatchObject([{ endReason: 'evicted' }]);
});

test('a session that took its slot again is open until its end', async () => {
  const session = toldSession(environmentId);
  const reader = createReader();
  await tell(started(session));
  await reader.readOnce();
  const later = { ...session, expiresAt: session.expiresAt + 1_000 };
  await tell(resumed(later));
  await reader.readOnce();
  expect(await sessions()).toMatchObject([{ endedAt: null, expiresAt: new Date(later.expiresAt) }]);
  await tell(ended(later));
  await reader.readOnce();
  expect(await types()).toEqual(['session.started', 'session.resumed', 'session.ended']);
});

test('a resumption without a start adds the start', async () => {
  await tell(resumed(toldSession(environmentId)));
  await createReader().readOnce();
  expect(await types()).toEqual(['session.started', 'session.resumed']);
});

test('an end is that of the stored session although Redis has corrected its start', async () => {
  const session = toldSession(environmentId);
  const reader = createReader();
  await tell(started(session));
  await reader.readOnce();
  await tell(ended({ ...session, startedAt: session.startedAt - 30_000_000 }, 'released', 40));
  await reader.readOnce();
  expect(await types()).toEqual(['session.started', 'session.ended']);
  expect(await sessions()).toMatchObject([
    { startedAt: new Date(Math.floor(session.startedAt / 1000)), endReason: 'released' },
  ]);
});

test('events wait in Redis while PostgreSQL is away, which is logged once', async () => {
  const link = await startNetworkLink(databaseUrl);
  const ownPool = createEventPool(link.url, recordingLogger(log));
  closers.push(async () => {
    await ownPool.end();
    await link.close();
  });
  await link.cut();
  const session = toldSession(environmentId);
  await tell(started(session), ended(session));
  const reader = createReader({ ownPool });
  reader.start();
  await eventually(async () => expect(log.length).toBeGreaterThan(0));
  await expect(reader.readOnce()).rejects.toThrow();
  expect(await redis.llen(slotEventsKey(7))).toBe(2);
  await link.restore();
  await eventually(async () => expect(await unreadKeys()).toEqual([]));
  await reader.stop();
  expect(await types()).toEqual(['session.started', 'session.ended']);
  const levels = log.filter(({ message }) => message.startsWith('storing events'));
  expect(levels.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'storing events is interrupted'],
    ['info', 'storing events has resumed'],
  ]);
});

const day = 24 * 3_600_000;
const nextWeek = () => toldSession(environmentId, { startedAt: (Date.now() + 10 * day) * 1000 });
const refusals: [string, () => Buffer][] = [
  ['wrong-form', () => packSlotEvent(started(toldSession(environmentId))).subarray(0, -3)],
  [
    'wrong-form',
    () => Buffer.concat([Buffer.from([2]), packSlotEvent(started(toldSession(environmentId))).subarray(1)]),
  ],
  ['wrong-form', () => packSlotEvent(started(toldSession('environment-1')))],
  ['wrong-form', () => packSlotEvent(started(toldSession(environmentId, { startedAt: 9e15 * 1000 })))],
  ['too-long', () => packSlotEvent(started(toldSession(environmentId, { subject: 'x'.repeat(9_000) })))],
  ['unknown-environment', () => packSlotEvent(started(toldSession(randomUUID())))],
  ['outside-partitions', () => packSlotEvent(started(nextWeek()))],
  ['refused-by-database', () => packSlotEvent(started(toldSession(environmentId, { subject: 'a\0b' })))],
  ['refused-by-database', () => packSlotEvent(started(toldSession(environmentId, { subject: hard(4_000) })))],
];

/** A text that no compression makes fit into an index. */
const hard = (length: number) => Array.from({ length: length / 32 }, () => randomUUID().replaceAll('-', '')).join('');

test.each(refusals)('an entry is set aside as %s, and those beside it are stored (%#)', async (reason, pack) => {
  await prisma.eventSetAside.deleteMany();
  const [before, after] = [toldSession(environmentId), toldSession(environmentId)];
  const entry = pack();
  await tell(started(before));
  await redis.rpush(slotEventsKey(7), entry);
  await tell(started(after), ended(after));
  await createReader().readOnce();
  expect(await unreadKeys()).toEqual([]);
  const aside = await prisma.eventSetAside.findMany();
  expect(aside).toMatchObject([{ list: slotEventsKey(7), reason, size: entry.length }]);
  expect(Buffer.from(aside[0]?.entry ?? []).equals(entry.subarray(0, 8_192))).toBe(true);
  expect((await types()).sort()).toEqual(['session.ended', 'session.started', 'session.started']);
});

const refused = (changes: Partial<RequestEvent> = {}): RequestEvent => ({
  kind: 'session.refused',
  environmentId,
  subject: 'lms:3f9c:17',
  sessionId: null,
  reservationId: null,
  at: Date.now(),
  count: 3,
  code: 'concurrent_stream_limit_reached',
  limit: 2,
  activeSessions: 2,
  backend: null,
  vendorStatus: null,
  milliseconds: null,
  contentId: 'lesson-0042',
  contentType: 'vod',
  drmSystem: 'widevine',
  applicationId: null,
  clientPlatform: 'web',
  ...changes,
});

test('refusals and licenses become events, each once', async () => {
  const license = {
    kind: 'license.refused' as const,
    sessionId: 'session-1234567890',
    reservationId: randomUUID(),
    code: 'license_backend_refused',
    limit: null,
    activeSessions: null,
    backend: 'axinom',
    vendorStatus: 400,
    milliseconds: 31,
    count: 1,
  };
  const entry = packRequestEvents([refused(), refused(), refused(license)]);
  await redis.rpush(requestEventsKey(3), entry);
  const isKilled = { remove: () => Promise.reject(new Error('killed')) };
  await expect(createReader({ unread: isKilled }).readOnce()).rejects.toThrow('killed');
  await createReader().readOnce();
  const stored = await prisma.event.findMany({ where: { scopeId: environmentId }, orderBy: { sequence: 'asc' } });
  const details = { contentType: 'vod', drmSystem: 'widevine', applicationId: null, clientPlatform: 'web' };
  const refusal = { ...details, code: 'concurrent_stream_limit_reached', limit: 2, activeSessions: 2, count: 3 };
  expect(stored.map(({ type, data }) => ({ type, data }))).toEqual([
    { type: 'session.refused', data: refusal },
    { type: 'session.refused', data: refusal },
    {
      type: 'license.refused',
      data: { ...details, backend: 'axinom', code: license.code, vendorStatus: 400, milliseconds: 31, count: 1 },
    },
  ]);
  expect(stored[2]).toMatchObject({ sessionId: license.sessionId, reservationId: license.reservationId });
  expect(await unreadKeys()).toEqual([]);
});

test('a long list gets what short ones leave', () => {
  const shares = (...lengths: number[]) =>
    sharesOf(
      lengths.map((length) => ({ length })),
      100,
    ).map(({ share }) => share);
  expect(shares(10, 500)).toEqual([10, 90]);
  expect(shares(500, 10, 400)).toEqual([10, 45, 45]);
  expect(shares(500)).toEqual([100]);
  expect(shares(3, 4)).toEqual([3, 4]);
});

test('a portion takes 2,000 entries of a long list, and says that more are left', async () => {
  const start = packSlotEvent(started(toldSession(environmentId)));
  await redis.rpush(slotEventsKey(7), ...Array.from({ length: 2_001 }, () => start));
  const taken: number[] = [];
  const entries = {
    store: async (_portion: number, some: readonly unknown[]) => {
      taken.push(some.length);
      return { events: 0, setAside: 0 };
    },
  };
  const reader = new EventReader({ unread: new UnreadEvents(redis), entries, logger: recordingLogger(log) });
  expect([await reader.readOnce(), await reader.readOnce(), await reader.readOnce()]).toEqual([true, false, false]);
  expect(taken).toEqual([2_000, 1]);
});
