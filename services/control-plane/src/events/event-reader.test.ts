import { slotEventsKey, UnreadEvents } from '@multi-drm/slots';
import { packSlotEvent } from '@multi-drm/slots/testing';
import { startNetworkLink } from '@multi-drm/test-kit';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import { EventReading } from '../testing/event-reading';
import { eventually } from '../testing/eventually';
import { recordingLogger } from '../testing/recording-logger';
import { ended, eventSession, resumed, started } from '../testing/slot-events';
import { createEventPool } from './event-pool';
import { EventReader, sharesOf } from './event-reader';

let reading: EventReading;

beforeAll(async () => {
  reading = await EventReading.start();
});
beforeEach(() => reading.beginTest());
afterEach(() => reading.endTest());

test('what was stored and not removed is not stored again', async () => {
  const session = eventSession(reading.environmentId);
  await reading.append(started(session), resumed(session), ended(session));
  const isKilled = { remove: () => Promise.reject(new Error('killed')) };
  await expect(reading.createReader({ unread: isKilled }).readOnce()).rejects.toThrow('killed');
  const before = [await reading.events(), await reading.sessions()];
  expect(before[0]).toHaveLength(3);
  await reading.createReader().readOnce();
  expect([await reading.events(), await reading.sessions()]).toEqual(before);
  expect(await reading.prisma.eventSetAside.count()).toBe(0);
  expect(await reading.unreadKeys()).toEqual([]);
});

test('two concurrent readers store everything once', async () => {
  const all = Array.from({ length: 400 }, () => eventSession(reading.environmentId));
  for (const [index, session] of all.entries()) {
    await reading.redis.rpush(slotEventsKey(index % 200), ...[started(session), ended(session)].map(packSlotEvent));
  }
  const readers = [reading.createReader(), reading.createReader()];
  for (const reader of readers) reader.start();
  await eventually(async () => expect(await reading.unreadKeys()).toEqual([]));
  for (const reader of readers) await reader.stop();
  const stored = await reading.types();
  expect(stored.filter((type) => type === 'session.started')).toHaveLength(400);
  expect(stored.filter((type) => type === 'session.ended')).toHaveLength(400);
  expect(reading.log).toEqual([]);
});

test('a portion that another reader is storing is left to it', async () => {
  await reading.append(started(eventSession(reading.environmentId)));
  const reader = reading.createReader();
  await reading.prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT pg_advisory_xact_lock(1702259571, 0)::text`;
    expect(await reader.readOnce()).toBe(true);
  });
  expect(await reading.types()).toEqual([]);
  expect(await reader.readOnce()).toBe(false);
  expect(await reading.types()).toEqual(['session.started']);
});

test('a list is not trimmed if it begins with another entry than the one that was read', async () => {
  const [read, next] = [eventSession(reading.environmentId), eventSession(reading.environmentId)];
  await reading.append(started(read));
  const unread = new UnreadEvents(reading.redis);
  const whileStored = async (list: Parameters<UnreadEvents['read']>[0], most: number) => {
    const entries = await unread.read(list, most);
    // Another reader removes what was read, and playback appends.
    await reading.redis.lpop(slotEventsKey(7));
    await reading.append(started(next));
    return entries;
  };
  await reading.createReader({ unread: { read: whileStored } }).readOnce();
  expect(await reading.redis.llen(slotEventsKey(7))).toBe(1);
});

test('events wait in Redis while PostgreSQL is away, which is logged once', async () => {
  const link = await startNetworkLink(reading.databaseUrl);
  const ownPool = createEventPool(link.url, recordingLogger(reading.log));
  await link.cut();
  const session = eventSession(reading.environmentId);
  await reading.append(started(session), ended(session));
  const reader = reading.createReader({ ownPool });
  reader.start();
  await eventually(async () => expect(reading.log.length).toBeGreaterThan(0));
  await expect(reader.readOnce()).rejects.toThrow();
  expect(await reading.redis.llen(slotEventsKey(7))).toBe(2);
  await link.restore();
  await eventually(async () => expect(await reading.unreadKeys()).toEqual([]));
  await reader.stop();
  await ownPool.end();
  await link.close();
  expect(await reading.types()).toEqual(['session.started', 'session.ended']);
  const levels = reading.log.filter(({ message }) => message.startsWith('storing events'));
  expect(levels.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'storing events is interrupted'],
    ['info', 'storing events has resumed'],
  ]);
});

test('a transaction that takes longer than it may is rolled back, and its events are stored later', async () => {
  const session = eventSession(reading.environmentId);
  await reading.append(started(session), ended(session));
  const failure = await reading
    .createReader({ milliseconds: 0 })
    .readOnce()
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: 'the transaction took longer than 0 ms' });
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(await reading.types()).toEqual([]);
  expect(await reading.createReader().readOnce()).toBe(false);
  expect(await reading.types()).toEqual(['session.started', 'session.ended']);
});

test('the other work of a round is done although nothing can be stored', async () => {
  await reading.append(started(eventSession(reading.environmentId)));
  let rounds = 0;
  const reader = new EventReader({
    unread: new UnreadEvents(reading.redis),
    entries: { store: () => Promise.reject(new Error('refused')) },
    logger: recordingLogger(reading.log),
    afterEachRound: async () => {
      rounds += 1;
    },
  });
  await expect(reader.readOnce()).rejects.toThrow('refused');
  expect(rounds).toBe(1);
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
  const start = packSlotEvent(started(eventSession(reading.environmentId)));
  await reading.redis.rpush(slotEventsKey(7), ...Array.from({ length: 2_001 }, () => start));
  const taken: number[] = [];
  const entries = {
    store: async (_portion: number, some: readonly unknown[]) => {
      taken.push(some.length);
      return { events: 0, setAside: 0, startedIn: [] };
    },
  };
  const reader = new EventReader({
    unread: new UnreadEvents(reading.redis),
    entries,
    logger: recordingLogger(reading.log),
  });
  expect([await reader.readOnce(), await reader.readOnce(), await reader.readOnce()]).toEqual([true, false, false]);
  expect(taken).toEqual([2_000, 1]);
});
