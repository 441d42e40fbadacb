import { setTimeout as pause } from 'node:timers/promises';
import {
  activeIds,
  again,
  another,
  copySession,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  keysOf,
  newRequest,
  recordOf,
  redisTime,
  rememberedUntil,
  reserveMany,
  slotsOf,
  storeOn,
  subjectState,
  toSecond,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('an abandoned slot', () => {
    it('is free from expiresAt on, not before', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1, lifetimeMilliseconds: 200 });
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      for (;;) {
        const before = await redisTime(client);
        const result = await store.reserve(another(request));
        if (result.outcome === 'reserved') {
          expect(result.serverTime.getTime()).toBeGreaterThanOrEqual(expiresAt.getTime());
          return;
        }
        expect(before).toBeLessThan(expiresAt.getTime());
        await pause(5);
      }
    });

    it('is removed from all keys by the next session of its subject that needs it, while active slots stay', async () => {
      const store = storeOn(client);
      const short = newRequest({ limit: 2, lifetimeMilliseconds: 20 });
      const long = another(short, { lifetimeMilliseconds: 600_000 });
      const next = another(short, { lifetimeMilliseconds: 60_000 });
      const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
      await store.reserve(long);
      await untilRedisTime(client, expiresAt);
      expectOutcome(await store.reserve(next), 'reserved');
      expect(await subjectState(client, short)).toEqual(slotsOf(long.sessionId, next.sessionId));
    });

    it('is not listed when the active sessions have reached the limit', async () => {
      const store = storeOn(client);
      const short = newRequest({ lifetimeMilliseconds: 20 });
      const long = another(short, { lifetimeMilliseconds: 600_000 });
      const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
      await store.reserve(long);
      await untilRedisTime(client, expiresAt);
      const refused = expectOutcome(await store.reserve(another(short, { limit: 1 })), 'limit_reached');
      expect(refused.activeSessions.map((session) => session.sessionId)).toEqual([long.sessionId]);
      expect(await subjectState(client, short)).toEqual(slotsOf(long.sessionId));
    });

    it('is removed among many others of its subject in portions, so that Redis can serve others in between', async () => {
      const store = storeOn(client);
      const request = newRequest({ lifetimeMilliseconds: 600_000 });
      expectOutcome(await store.reserve(request), 'reserved');
      const expired = Array.from({ length: 1200 }, (_, i) => `expired-session-${i}`);
      await copySession(client, request, expired, -1);
      const next = another(request);
      const calls = jest.spyOn(client, 'reserveSlotBuffer');
      expectOutcome(await store.reserve(next), 'reserved');
      expect(calls).toHaveBeenCalledTimes(3);
      calls.mockRestore();
      expect((await subjectState(client, request)).records).toHaveLength(2);
      expect(await activeIds(store, request)).toEqual([request.sessionId, next.sessionId]);
      const [first = ''] = expired;
      expect((await store.find({ ...request, sessionId: first })).state).toBe('expired');
    });
  });

  describe('the keys of a subject', () => {
    it('are removed with its last session', async () => {
      const store = storeOn(client);
      const [first, second] = await reserveMany(store, 2);
      for (const request of [first, second ?? first]) await store.release(ended(request));
      const { slots, active } = keysOf(first);
      expect(await client.exists(slots, active)).toBe(0);
    });
  });

  describe('the id of a session', () => {
    it('is remembered for the retention after a release, in a few bytes', async () => {
      const store = storeOn(client, { sessionIdRetentionSeconds: 3600 });
      const request = newRequest({ sessionId: 'x'.repeat(128), subject: 'ü'.repeat(256) });
      await store.reserve(request);
      const before = await redisTime(client);
      await store.release(ended(request));
      const after = await redisTime(client);
      const forgottenAt = await rememberedUntil(client, request);
      expect(forgottenAt).toBeGreaterThanOrEqual(before + 3_600_000);
      expect(forgottenAt).toBeLessThan(after + 3_601_000);
      expect(await recordOf(client, request)).toBeNull();
    });

    it('is remembered for the retention after expiresAt, also without its record', async () => {
      const store = storeOn(client, { sessionIdRetentionSeconds: 3600 });
      const request = newRequest({ limit: 1, lifetimeMilliseconds: 20 });
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      await untilRedisTime(client, expiresAt);
      expectOutcome(await store.reserve(another(request)), 'reserved');
      expect(await recordOf(client, request)).toBeNull();
      expect(await rememberedUntil(client, request)).toBe(toSecond(expiresAt.getTime() + 3_600_000));
      expect((await store.find(request)).state).toBe('expired');
      expectOutcome(await store.reserve(again(request)), 'session_id_reused');
    });

    it('can be reserved again after the retention, even if its record is still there', async () => {
      const store = storeOn(client, { sessionIdRetentionSeconds: 1 });
      const released = newRequest();
      const expired = another(released, { lifetimeMilliseconds: 20 });
      await store.reserve(another(released));
      const { expiresAt } = expectOutcome(await store.reserve(expired), 'reserved');
      await store.reserve(released);
      await store.release(ended(released));
      const forgottenAt = (await rememberedUntil(client, released)) ?? Number.NaN;
      // The release may be sooner than the expiry.
      await untilRedisTime(client, new Date(Math.max(forgottenAt, toSecond(expiresAt.getTime() + 1_000)) + 1));
      expectOutcome(await store.reserve(again(released)), 'reserved');
      expect(await recordOf(client, expired)).not.toBeNull();
      expectOutcome(await store.reserve(again(expired)), 'reserved');
    });
  });
});
