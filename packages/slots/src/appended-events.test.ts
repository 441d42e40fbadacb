import { ExpiredSessions } from './expired-sessions';
import { inShort, readAppended } from './testing/appended-events';
import { buckets } from './testing/subject-buckets';
import {
  addToRecord,
  again,
  another,
  describeOnEveryRedis,
  ended,
  exactClock,
  expectOutcome,
  newRequest,
  reserveMany,
  slotSettings,
  storeOn,
  untilRedisTime,
} from './testing/test-store';

const call = { callsPerMinute: null, maximumSessionMilliseconds: 86_400_000 };

describeOnEveryRedis((client) => {
  const store = storeOn(client);

  async function sweep({ environmentId, subject }: { environmentId: string; subject: string }): Promise<void> {
    const onFailure = (error: unknown) => expect(error).toBeUndefined();
    const expired = new ExpiredSessions({ client, clock: exactClock(), ...slotSettings, onFailure });
    await expired.sweepEnvironment({ environmentId, bucket: buckets.bucketOf(environmentId, subject) }, buckets);
  }

  it('a start is reported with the session, its details and its times', async () => {
    const details = {
      contentId: 'lesson-0042',
      contentType: 'live',
      drmSystem: 'fairplay',
      applicationId: 'app',
      clientPlatform: 'ios',
      attemptId: 'attempt-1',
      reporting: { cohort: 'Zoë' },
    } as const;
    const request = newRequest({ details });
    const before = Date.now();
    const { startedAt, expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
    const [started, ...others] = await readAppended(client, request);
    expect(others).toEqual([]);
    const { environmentId, subject, sessionId, reservationId } = request;
    expect(started).toEqual({
      kind: 'started',
      environmentId,
      subject,
      sessionId,
      reservationId,
      at: started?.startedAt,
      startedAt: started?.at,
      expiresAt: expiresAt.getTime(),
      details,
      replacesSessionId: null,
      activeSessions: 1,
    });
    expect(Math.floor((started?.at ?? 0) / 1_000)).toBe(startedAt.getTime());
    expect(startedAt.getTime()).toBeGreaterThanOrEqual(before);
  });

  it('a repeat reports nothing, of a backend or of the client library, and neither does a refusal', async () => {
    const request = newRequest({ limit: 1 });
    for (const outcome of ['reserved', 'reserved'] as const) expectOutcome(await store.reserve(request), outcome);
    expectOutcome(await store.reserve(again(request)), 'repeated');
    expectOutcome(await store.reserve(again(request, { requestHash: 'another' })), 'session_id_reused');
    expectOutcome(await store.reserve(another(request)), 'limit_reached');
    expectOutcome(await store.reserve(another(newRequest(), { organizationIsFull: true })), 'organization_full');
    expect(inShort(await readAppended(client, request))).toEqual([`started ${request.sessionId}`]);
  });

  it.each([
    ['a release', 'ended', 'released'],
    ['a termination', 'terminated', 'terminated'],
  ] as const)('%s is reported once, with the number of license requests', async (_name, reason, reported) => {
    const request = newRequest();
    expectOutcome(await store.reserve(request), 'reserved');
    for (let i = 0; i < 3; i += 1) expectOutcome(await store.countLicenseRequest({ ...request, ...call }), 'counted');
    const before = Date.now() * 1_000;
    for (const outcome of ['released', 'unchanged']) {
      expect(await store.release({ ...request, reason })).toBe(outcome);
    }
    const [started, end, ...others] = await readAppended(client, request);
    expect(others).toEqual([]);
    expect(end).toMatchObject({ kind: 'ended', reason: reported, licenseRequests: 3, startedAt: started?.startedAt });
    expect(end).toMatchObject({ reservationId: request.reservationId, details: started?.details });
    expect(end?.at).toBeGreaterThanOrEqual(before);
    expect(end?.at).toBeLessThanOrEqual((Date.now() + 1) * 1_000);
  });

  it('an undo is reported, unless a repeat got the reservation', async () => {
    const [undone, repeated] = [newRequest(), newRequest()];
    for (const request of [undone, repeated, again(repeated)]) await store.reserve(request);
    for (const request of [undone, undone, repeated]) await store.undo(request);
    const { sessionId } = undone;
    expect(inShort(await readAppended(client, undone))).toEqual([`started ${sessionId}`, `ended ${sessionId} undone`]);
    expect(inShort(await readAppended(client, repeated))).toEqual([`started ${repeated.sessionId}`]);
  });

  it('what makes room is reported before the start that takes it', async () => {
    const limited = { limit: 2, atStreamLimit: 'evict-oldest' } as const;
    const [oldest, second] = await reserveMany(store, 2, limited);
    if (second === undefined) throw new Error('no session');
    const third = another(oldest, { replacesSessionId: second.sessionId });
    const fourth = another(oldest);
    for (const request of [third, fourth]) expectOutcome(await store.reserve(request), 'reserved');
    const events = await readAppended(client, oldest);
    expect(inShort(events)).toEqual([
      `started ${oldest.sessionId}`,
      `started ${second.sessionId}`,
      `ended ${second.sessionId} replaced`,
      `started ${third.sessionId}`,
      `ended ${oldest.sessionId} evicted`,
      `started ${fourth.sessionId}`,
    ]);
    expect(events[3]).toMatchObject({ replacesSessionId: second.sessionId, activeSessions: 2 });
    const times = events.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it.each(['the sweep', 'a start that takes its room'])(
    'an expired session is reported to have ended at its expiresAt, by %s',
    async (by) => {
      const short = newRequest({ limit: 1, lifetimeMilliseconds: 5 });
      const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
      await untilRedisTime(client, expiresAt);
      if (by === 'the sweep') await sweep(short);
      else expectOutcome(await store.reserve(another(short)), 'reserved');
      const [, end, ...others] = await readAppended(client, short);
      expect(end).toMatchObject({ kind: 'ended', sessionId: short.sessionId, reason: 'expired' });
      expect(end?.at).toBe(expiresAt.getTime() * 1_000);
      await sweep(short);
      expect(others.map(({ kind }) => kind)).toEqual(by === 'the sweep' ? [] : ['started']);
    },
  );

  it('a session that expired so long ago that its id is free again is reported before the id starts another', async () => {
    const request = newRequest();
    expectOutcome(await store.reserve(request), 'reserved');
    await addToRecord(client, request, 'expiresAt', -request.lifetimeMilliseconds - 86_400_000);
    expectOutcome(await store.reserve(again(request)), 'reserved');
    const { sessionId } = request;
    const events = inShort(await readAppended(client, request));
    expect(events).toEqual([`started ${sessionId}`, `ended ${sessionId} expired`, `started ${sessionId}`]);
  });

  it('a lost session that takes its slot again is reported to have resumed', async () => {
    const startedAt = new Date(Date.now() - 60_000);
    const expiresAt = new Date(Date.now() + 60_000);
    const request = { ...newRequest(), startedAt, expiresAt };
    const before = Date.now() * 1_000;
    for (const outcome of ['reserved', 'known']) expect(await store.restore(request)).toBe(outcome);
    const [resumed, ...others] = await readAppended(client, request);
    expect(others).toEqual([]);
    expect(resumed).toMatchObject({ kind: 'resumed', reservationId: request.reservationId });
    expect(resumed).toMatchObject({ startedAt: startedAt.getTime() * 1_000, expiresAt: expiresAt.getTime() });
    expect(resumed?.at).toBeGreaterThanOrEqual(before);
  });

  it('no session is reported to have ended before its start, also if the clock of Redis was set back', async () => {
    const request = newRequest();
    expectOutcome(await store.reserve(request), 'reserved');
    await addToRecord(client, request, 'startedAt', 60_000_000);
    expect(await store.release(ended(request))).toBe('released');
    const [, end] = await readAppended(client, request);
    expect(end?.at).toBe(end?.startedAt);
  });

  it('switched off, nothing is reported', async () => {
    const off = storeOn(client, { eventBytes: () => 0 });
    const [oldest, second] = await reserveMany(off, 2, { limit: 1, atStreamLimit: 'evict-oldest' });
    if (second === undefined) throw new Error('no session');
    expect(await off.release(ended(second))).toBe('released');
    const third = another(oldest);
    expectOutcome(await off.reserve(third), 'reserved');
    await off.undo(third);
    expect(await off.restore({ ...newRequest(), ...oldest, startedAt: new Date(), expiresAt: new Date() })).toBe(
      'known',
    );
    expect(await readAppended(client, oldest)).toEqual([]);
  });
});
