import { activeMember } from './keys';
import { readDetails } from './packed-details';
import { readRecord } from './packed-record';
import {
  addToRecord,
  again,
  another,
  connect,
  copySession,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  keysOf,
  neighbourOf,
  newRequest,
  publishViewer,
  redisTime,
  reserveMany,
  slotsOf,
  storeOn,
  subjectState,
} from './testing/test-store';

const { details } = newRequest();

describeOnEveryRedis((client, kind) => {
  describe('reserving a slot', () => {
    it('returns the reservation, with times of Redis', async () => {
      const request = newRequest({ lifetimeMilliseconds: 90_000 });
      const before = await redisTime(client);
      const reserved = expectOutcome(await storeOn(client).reserve(request), 'reserved');
      const after = await redisTime(client);
      expect(reserved.reservationId).toBe(request.reservationId);
      expect(reserved.serverTime.getTime()).toBeGreaterThanOrEqual(before);
      expect(reserved.serverTime.getTime()).toBeLessThanOrEqual(after);
      expect(reserved.startedAt).toEqual(reserved.serverTime);
      expect(reserved.expiresAt.getTime() - reserved.serverTime.getTime()).toBe(90_000);
    });

    it('stores times exactly, startedAt in microseconds', async () => {
      const request = newRequest({ limit: 3 });
      const { startedAt, expiresAt } = expectOutcome(await storeOn(client).reserve(request), 'reserved');
      const packed = await client.hgetBuffer(keysOf(request).slots, request.sessionId);
      const record = readRecord(packed ?? Buffer.alloc(0));
      expect(Math.floor(record.startedAt / 1000)).toBe(startedAt.getTime());
      expect(record.startedAt % 1).toBe(0);
      expect(record).toMatchObject({ expiresAt: expiresAt.getTime(), licenseRequests: 0 });
      expect(readDetails(record.details)).toMatchObject(request.details);
    });

    it('refuses at the limit and lists the active sessions, oldest first', async () => {
      const store = storeOn(client);
      const first = newRequest({
        limit: 2,
        details: { ...details, contentId: 'lesson "1"', applicationId: 'lms', clientPlatform: 'web' },
      });
      const second = another(first, { details: { ...details, contentId: 'Zoë 🎬' }, lifetimeMilliseconds: 1_000_000 });
      const one = expectOutcome(await store.reserve(first), 'reserved');
      const two = expectOutcome(await store.reserve(second), 'reserved');
      expect(await store.reserve(another(first))).toEqual({
        outcome: 'limit_reached',
        limit: 2,
        activeSessions: [
          {
            sessionId: first.sessionId,
            contentId: 'lesson "1"',
            applicationId: 'lms',
            clientPlatform: 'web',
            startedAt: one.startedAt,
            expiresAt: one.expiresAt,
          },
          {
            sessionId: second.sessionId,
            contentId: 'Zoë 🎬',
            applicationId: null,
            clientPlatform: null,
            startedAt: two.startedAt,
            expiresAt: two.expiresAt,
          },
        ],
      });
    });

    it('stores nothing of a refused session, whose id can be used later', async () => {
      const store = storeOn(client);
      const first = newRequest({ limit: 1 });
      expectOutcome(await store.reserve(first), 'reserved');
      const refused = another(first);
      expectOutcome(await store.reserve(refused), 'limit_reached');
      expect(await subjectState(client, first)).toEqual(slotsOf(first.sessionId));
      await store.release(ended(first));
      expectOutcome(await store.reserve(refused), 'reserved');
    });

    it('lists only the 20 oldest of many active sessions', async () => {
      const store = storeOn(client);
      const requests = [newRequest()];
      for (const first of requests) if (requests.length < 25) requests.push(another(first));
      for (const request of requests) expectOutcome(await store.reserve(request), 'reserved');
      const refused = await store.reserve(another(newRequest({ ...requests[0], limit: 25 })));
      const { activeSessions } = expectOutcome(refused, 'limit_reached');
      expect(activeSessions.map((session) => session.sessionId)).toEqual(
        requests.slice(0, 20).map((request) => request.sessionId),
      );
    });

    it('refuses every session at a limit of zero', async () => {
      expect(await storeOn(client).reserve(newRequest({ limit: 0 }))).toEqual({
        outcome: 'limit_reached',
        limit: 0,
        activeSessions: [],
      });
    });

    it('refuses until there are fewer active sessions than a lowered limit', async () => {
      const store = storeOn(client);
      const sessions = [newRequest({ limit: 3 })];
      for (const first of sessions) if (sessions.length < 3) sessions.push(another(first));
      for (const session of sessions) expectOutcome(await store.reserve(session), 'reserved');
      const late = another(newRequest({ ...sessions[0], limit: 1 }));
      for (const session of sessions) {
        const refused = expectOutcome(await store.reserve(again(late)), 'limit_reached');
        expect(refused.activeSessions.map((active) => active.sessionId)).toContain(session.sessionId);
        expect(await store.release(ended(session))).toBe('released');
      }
      expectOutcome(await store.reserve(late), 'reserved');
    });

    it('counts each subject of each environment separately', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      expectOutcome(await store.reserve(request), 'reserved');
      expectOutcome(await store.reserve({ ...request, subject: neighbourOf(request) }), 'reserved');
      expectOutcome(await store.reserve({ ...request, environmentId: newRequest().environmentId }), 'reserved');
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
    });

    it('admits exactly as many as the limit of 200 parallel requests on several connections, ten times in a row', async () => {
      const clients = Array.from({ length: 4 }, () => connect(kind));
      const stores = clients.map((each) => storeOn(each));
      const admitted: number[] = [];
      const refused: number[] = [];
      for (let repetition = 0; repetition < 10; repetition += 1) {
        const first = newRequest({ limit: 2 });
        const requests = Array.from({ length: 200 }, () => another(first));
        const outcomes = await Promise.all(
          requests.map(async (request, i) => (await stores[i % stores.length]?.reserve(request))?.outcome),
        );
        admitted.push(outcomes.filter((outcome) => outcome === 'reserved').length);
        refused.push(outcomes.filter((outcome) => outcome === 'limit_reached').length);
      }
      await Promise.all(clients.map((each) => each.quit()));
      expect(admitted).toEqual(Array(10).fill(2));
      expect(refused).toEqual(Array(10).fill(198));
    });

    it('starts a session after every active one of its subject, even if the clock was set back', async () => {
      const store = storeOn(client);
      const first = newRequest();
      await store.reserve(first);
      await addToRecord(client, first, 'startedAt', 60_000_000);
      const others = [another(first), another(first), another(first)];
      for (const request of others) await store.reserve(request);
      const { sessions } = await store.listSubject(first.environmentId, first.subject, { limit: 10 });
      expect(sessions.map(({ sessionId }) => sessionId)).toEqual([first, ...others].map(({ sessionId }) => sessionId));
    });

    it('never gives a subject more than a hundred, whatever its limit', async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 99);
      expectOutcome(await store.reserve(another(first)), 'reserved');
      for (const limit of [null, 101, 1000]) {
        const refused = expectOutcome(await store.reserve(another(first, { limit })), 'limit_reached');
        expect(refused.limit).toBe(100);
        expect(refused.activeSessions.map(({ sessionId }) => sessionId)).toContain(first.sessionId);
      }
      const evicting = another(first, { atStreamLimit: 'evict-oldest' });
      const { endedSessionIds, limit } = expectOutcome(await store.reserve(evicting), 'reserved');
      expect([endedSessionIds, limit]).toEqual([[first.sessionId], null]);
    });

    it('treats a higher limit of a viewer as a hundred', async () => {
      const request = newRequest({ limit: null });
      await publishViewer(client, request, { status: 'active', maximumConcurrentStreams: 500 });
      expect(expectOutcome(await storeOn(client).reserve(request), 'reserved').limit).toBe(100);
    });

    it('of a subject that holds more from before, all go on until they end or make room', async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 1);
      const copies = Array.from({ length: 999 }, (_, i) => `session-of-many-${i}`);
      await copySession(client, first, copies, 600_000);
      const refused = expectOutcome(await store.reserve(another(first)), 'limit_reached');
      expect([refused.limit, refused.activeSessions.length]).toEqual([100, 20]);
      expect(await store.countOf(first.environmentId, first.subject)).toBe(1_000);
      const times = { lifetimeMilliseconds: 1_000, maximumSessionMilliseconds: 60_000 };
      expectOutcome(await store.renew({ ...first, ...times, callsPerMinute: null }), 'renewed');
      const page = await store.listSubject(first.environmentId, first.subject, { limit: 1_000 });
      expect(page.sessions).toHaveLength(1_000);
      expect(await store.release(ended(first))).toBe('released');
      const evicting = another(first, { atStreamLimit: 'evict-oldest' });
      const { endedSessionIds } = expectOutcome(await store.reserve(evicting), 'reserved');
      expect(endedSessionIds).toHaveLength(900);
      expect(await store.countOf(first.environmentId, first.subject)).toBe(100);
    });

    it.each([-1, 1.5, Number.NaN, 2 ** 53])('rejects a limit and a ceiling of %p', async (limit) => {
      await expect(storeOn(client).reserve(newRequest({ limitCeiling: limit }))).rejects.toThrow(RangeError);
      await expect(storeOn(client).reserve(newRequest({ limit }))).rejects.toThrow(RangeError);
    });

    it('accepts the largest exact integer as a limit', async () => {
      const request = newRequest({ limit: Number.MAX_SAFE_INTEGER });
      expectOutcome(await storeOn(client).reserve(request), 'reserved');
    });

    it.each([0, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 53])(
      'rejects a lifetime of %p',
      async (lifetimeMilliseconds) => {
        await expect(storeOn(client).reserve(newRequest({ lifetimeMilliseconds }))).rejects.toThrow(RangeError);
      },
    );

    it('stores the longest lifetime exactly', async () => {
      const request = newRequest({ lifetimeMilliseconds: 2 ** 50 });
      const { expiresAt, serverTime } = expectOutcome(await storeOn(client).reserve(request), 'reserved');
      expect(expiresAt.getTime()).toBe(serverTime.getTime() + 2 ** 50);
      expect(await client.zscore(keysOf(request).active, activeMember(request.sessionId, request.subject))).toBe(
        String(expiresAt.getTime()),
      );
      expect(await storeOn(client).release(ended(request))).toBe('released');
      expect((await storeOn(client).find(request)).state).toBe('released');
    });

    it.each([{ idempotentRepeatSeconds: 0.5 }, { sessionIdRetentionSeconds: 0 }])(
      'rejects the options %j',
      (options) => {
        expect(() => storeOn(client, options)).toThrow(RangeError);
      },
    );
  });
});
