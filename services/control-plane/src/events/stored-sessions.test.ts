import { EventReading } from '../testing/event-reading';
import { ended, eventSession, resumed, started } from '../testing/slot-events';
import { lowestEventIdAt } from './event-id';

let reading: EventReading;

beforeAll(async () => {
  reading = await EventReading.start();
});
beforeEach(() => reading.beginTest());
afterEach(() => reading.endTest());

test('a start and an end become two events and a session, and leave their list', async () => {
  const session = eventSession(reading.environmentId);
  await reading.append(started(session), ended(session));
  expect(await reading.createReader().readOnce()).toBe(false);
  const startedAt = new Date(session.startedAt / 1000);
  const endedAt = new Date(startedAt.getTime() + 12_500);
  const { contentId, reporting, ...details } = session.details;
  const common = {
    scopeId: reading.environmentId,
    subject: session.subject,
    sessionId: session.sessionId,
    reservationId: session.reservationId,
    contentId,
  };
  const stored = await reading.events();
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
  expect(await reading.sessions()).toMatchObject([
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
  expect(await reading.unreadKeys()).toEqual([]);
});

test('a session without an end is open, and looked up a minute after its end', async () => {
  const session = eventSession(reading.environmentId);
  await reading.append(started(session));
  await reading.createReader().readOnce();
  const aMinuteLater = new Date(session.expiresAt + 60_000);
  const expected = { endedAt: null, endReason: null, lookUpAt: aMinuteLater };
  expect(await reading.sessions()).toMatchObject([expected]);
});

test('an end without a start adds the start', async () => {
  const session = eventSession(reading.environmentId);
  await reading.append(ended(session, 'expired'));
  await reading.createReader().readOnce();
  const recovered = { recovered: true, replacesSessionId: null, activeSessions: null };
  expect(await reading.events()).toMatchObject([
    { type: 'session.started', data: recovered },
    { type: 'session.ended', data: { reason: 'expired' } },
  ]);
  expect(await reading.sessions()).toMatchObject([{ endReason: 'expired' }]);
});

test.each([
  ['in the same portion', 1],
  ['later', 2],
])('only the first end of a session counts: another one comes %s', async (_when, rounds) => {
  const session = eventSession(reading.environmentId);
  const reader = reading.createReader();
  await reading.append(started(session), ended(session, 'evicted'));
  if (rounds === 2) await reader.readOnce();
  await reading.append(ended(session, 'expired', 20), resumed(session, 25));
  await reader.readOnce();
  expect(await reading.types()).toEqual(['session.started', 'session.ended']);
  expect(await reading.sessions()).toMatchObject([{ endReason: 'evicted' }]);
});

test('a session that took its slot again is open until its end', async () => {
  const session = eventSession(reading.environmentId);
  const reader = reading.createReader();
  await reading.append(started(session));
  await reader.readOnce();
  const later = { ...session, expiresAt: session.expiresAt + 1_000 };
  await reading.append(resumed(later));
  await reader.readOnce();
  expect(await reading.sessions()).toMatchObject([{ endedAt: null, expiresAt: new Date(later.expiresAt) }]);
  await reading.append(ended(later));
  await reader.readOnce();
  expect(await reading.types()).toEqual(['session.started', 'session.resumed', 'session.ended']);
});

test('a resumption without a start adds the start', async () => {
  await reading.append(resumed(eventSession(reading.environmentId)));
  await reading.createReader().readOnce();
  expect(await reading.types()).toEqual(['session.started', 'session.resumed']);
});

test('an end is that of the stored session although Redis has corrected its start', async () => {
  const session = eventSession(reading.environmentId);
  const reader = reading.createReader();
  await reading.append(started(session));
  await reader.readOnce();
  await reading.append(ended({ ...session, startedAt: session.startedAt - 30_000_000 }, 'released', 40));
  await reader.readOnce();
  expect(await reading.types()).toEqual(['session.started', 'session.ended']);
  expect(await reading.sessions()).toMatchObject([
    { startedAt: new Date(Math.floor(session.startedAt / 1000)), endReason: 'released' },
  ]);
});
