import { randomUUID } from 'node:crypto';
import {
  packRequestEvents,
  type RequestEvent,
  requestEventsKey,
  slotEventsKey,
  unknownMembers,
} from '@multi-drm/slots';
import { packSlotEvent } from '@multi-drm/slots/testing';
import { EventReading } from '../testing/event-reading';
import { ended, eventSession, started } from '../testing/slot-events';

let reading: EventReading;

beforeAll(async () => {
  reading = await EventReading.start();
});
beforeEach(() => reading.beginTest());
afterEach(() => reading.endTest());

const day = 24 * 3_600_000;
const nextWeek = () => eventSession(reading.environmentId, { startedAt: (Date.now() + 10 * day) * 1000 });
const refusals: [string, () => Buffer][] = [
  ['wrong-form', () => packSlotEvent(started(eventSession(reading.environmentId))).subarray(0, -3)],
  [
    'wrong-form',
    () => Buffer.concat([Buffer.from([2]), packSlotEvent(started(eventSession(reading.environmentId))).subarray(1)]),
  ],
  ['wrong-form', () => packSlotEvent(started(eventSession('environment-1')))],
  ['wrong-form', () => packSlotEvent(started(eventSession(reading.environmentId, { startedAt: 9e15 * 1000 })))],
  ['too-long', () => packSlotEvent(started(eventSession(reading.environmentId, { subject: 'x'.repeat(9_000) })))],
  ['unknown-environment', () => packSlotEvent(started(eventSession(randomUUID())))],
  ['outside-partitions', () => packSlotEvent(started(nextWeek()))],
  ['refused-by-database', () => packSlotEvent(started(eventSession(reading.environmentId, { subject: 'a\0b' })))],
  ['refused-by-database', () => packSlotEvent(started(eventSession(reading.environmentId, { subject: hard(4_000) })))],
];

/** A text that no compression makes fit into an index. */
const hard = (length: number) => Array.from({ length: length / 32 }, () => randomUUID().replaceAll('-', '')).join('');

test.each(refusals)('an entry is set aside as %s, and those beside it are stored (%#)', async (reason, pack) => {
  await reading.prisma.eventSetAside.deleteMany();
  const [before, after] = [eventSession(reading.environmentId), eventSession(reading.environmentId)];
  const entry = pack();
  await reading.append(started(before));
  await reading.redis.rpush(slotEventsKey(7), entry);
  await reading.append(started(after), ended(after));
  await reading.createReader().readOnce();
  expect(await reading.unreadKeys()).toEqual([]);
  const aside = await reading.prisma.eventSetAside.findMany();
  expect(aside).toMatchObject([{ list: slotEventsKey(7), reason, size: entry.length }]);
  expect(Buffer.from(aside[0]?.entry ?? []).equals(entry.subarray(0, 8_192))).toBe(true);
  expect((await reading.types()).sort()).toEqual(['session.ended', 'session.started', 'session.started']);
});

test('what PostgreSQL cannot hold in `reporting` is replaced, and everything else stays', async () => {
  const session = eventSession(reading.environmentId);
  const reporting = { 'a\0': 'b\ud800', list: ['\udc00', '\ud83d\ude00', '\\u0000', '\\\0', 'é\n'] };
  await reading.append(started({ ...session, details: { ...session.details, reporting } }), ended(session));
  await reading.createReader().readOnce();
  const stored = { 'a\ufffd': 'b\ufffd', list: ['\ufffd', '\ud83d\ude00', '\\u0000', '\\\ufffd', 'é\n'] };
  expect(await reading.sessions()).toMatchObject([{ reporting: stored, endReason: 'released' }]);
  expect((await reading.events())[0]?.data).toMatchObject({ reporting: stored });
  expect(await reading.prisma.eventSetAside.count()).toBe(0);
});

const refused = (changes: Partial<RequestEvent> = {}): RequestEvent => ({
  ...unknownMembers,
  kind: 'session.refused',
  environmentId: reading.environmentId,
  subject: 'lms:3f9c:17',
  at: Date.now(),
  count: 3,
  code: 'concurrent_stream_limit_reached',
  limit: 2,
  activeSessions: 2,
  contentId: 'lesson-0042',
  contentType: 'vod',
  drmSystem: 'widevine',
  clientPlatform: 'web',
  ...changes,
});

test('equal refusals of two processes in the same moment are two events', async () => {
  const same = refused();
  await reading.redis.rpush(requestEventsKey(3), packRequestEvents([same], 1), packRequestEvents([same], 2));
  await reading.createReader().readOnce();
  expect(await reading.types()).toEqual(['session.refused', 'session.refused']);
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
  await reading.redis.rpush(requestEventsKey(3), entry);
  const isKilled = { remove: () => Promise.reject(new Error('killed')) };
  await expect(reading.createReader({ unread: isKilled }).readOnce()).rejects.toThrow('killed');
  await reading.createReader().readOnce();
  const stored = await reading.prisma.event.findMany({
    where: { scopeId: reading.environmentId },
    orderBy: { sequence: 'asc' },
  });
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
  expect(await reading.unreadKeys()).toEqual([]);
});
