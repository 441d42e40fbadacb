import { setTimeout as pause } from 'node:timers/promises';
import {
  again,
  another,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  keysOf,
  newRequest,
  redisTime,
  slotsOf,
  storeOn,
  subjectState,
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

    it('is removed from all keys of its subject by the next session, while active slots stay', async () => {
      const store = storeOn(client);
      const short = newRequest({ lifetimeMilliseconds: 20 });
      const long = another(short, { lifetimeMilliseconds: 600_000 });
      const next = another(short, { lifetimeMilliseconds: 60_000 });
      const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
      const longer = expectOutcome(await store.reserve(long), 'reserved');
      await untilRedisTime(client, expiresAt);
      expectOutcome(await store.reserve(next), 'reserved');
      expect(await subjectState(client, short)).toEqual(slotsOf([long.sessionId, next.sessionId], longer.expiresAt));
    });

    it('is not listed when the active sessions have reached the limit', async () => {
      const store = storeOn(client);
      const short = newRequest({ lifetimeMilliseconds: 20 });
      const long = another(short, { lifetimeMilliseconds: 600_000 });
      const { expiresAt } = expectOutcome(await store.reserve(short), 'reserved');
      const longer = expectOutcome(await store.reserve(long), 'reserved');
      await untilRedisTime(client, expiresAt);
      const refused = expectOutcome(await store.reserve(another(short, { limit: 1 })), 'limit_reached');
      expect(refused.activeSessions.map((session) => session.sessionId)).toEqual([long.sessionId]);
      expect(await subjectState(client, short)).toEqual(slotsOf([long.sessionId], longer.expiresAt));
    });

    it('is removed even among twenty thousand others of its subject', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      const { expiries, starts, details } = keysOf(request);
      const ids = Array.from({ length: 20_000 }, (_, i) => `expired-session-${i}`);
      await client.zadd(expiries, ...ids.flatMap((id, i) => [i + 1, id]));
      await client.zadd(starts, ...ids.flatMap((id, i) => [i + 1, id]));
      await client.hset(details, ...ids.flatMap((id) => [id, '{}']));
      expectOutcome(await store.reserve(request), 'reserved');
      const left = [await client.zcard(expiries), await client.zcard(starts), await client.hlen(details)];
      expect(left).toEqual([1, 1, 1]);
    });

    it('is removed from the list of its bucket as sessions start there, a portion with each', async () => {
      const store = storeOn(client);
      const request = newRequest();
      const { active } = keysOf(request);
      await client.zadd(
        active,
        ...Array.from({ length: 1200 }, (_, i) => [i + 1, `expired-session-${i}:viewer`]).flat(),
      );
      for (const left of [701, 202, 3]) {
        expectOutcome(await store.reserve(another(request)), 'reserved');
        expect(await client.zcard(active)).toBe(left);
      }
      expect((await store.listEnvironment(request.environmentId, { limit: 10 })).sessions).toHaveLength(3);
    });
  });

  describe('the keys of a subject', () => {
    it('exist until the last of its slots expires, even if a shorter one starts later', async () => {
      const store = storeOn(client);
      const long = newRequest({ lifetimeMilliseconds: 600_000 });
      const short = another(long, { lifetimeMilliseconds: 60_000 });
      const { expiresAt } = expectOutcome(await store.reserve(long), 'reserved');
      await store.reserve(short);
      expect(await subjectState(client, long)).toEqual(slotsOf([long.sessionId, short.sessionId], expiresAt));
    });

    it('expire with the last of its slots', async () => {
      const store = storeOn(client);
      const request = newRequest({ lifetimeMilliseconds: 20 });
      await store.reserve(request);
      const { expiresAt } = expectOutcome(await store.reserve(another(request)), 'reserved');
      await untilRedisTime(client, new Date(expiresAt.getTime() + 1));
      const { expiries, starts, details } = keysOf(request);
      expect(await client.exists(expiries, starts, details)).toBe(0);
    });
  });

  describe('the record of a session', () => {
    it('is kept for the retention after expiresAt, or after an earlier release', async () => {
      const store = storeOn(client, { sessionIdRetentionSeconds: 3600 });
      const request = newRequest();
      const { record } = keysOf(request);
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      expect(await client.pexpiretime(record)).toBe(expiresAt.getTime() + 3_600_000);
      await store.release(ended(request));
      const { state, endedAt } = await client.hgetall(record);
      expect(state).toBe('released');
      expect(Number(endedAt)).toBeLessThanOrEqual(await redisTime(client));
      expect(await client.pexpiretime(record)).toBe(Number(endedAt) + 3_600_000);
    });

    it('is not extended by a repeat', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      const before = await client.pexpiretime(keysOf(request).record);
      expectOutcome(await store.reserve(again(request, { lifetimeMilliseconds: 7_200_000 })), 'repeated');
      expect(await client.pexpiretime(keysOf(request).record)).toBe(before);
    });

    it('is removed after the retention, so that the id can be reserved again', async () => {
      const store = storeOn(client, { sessionIdRetentionSeconds: 1 });
      const request = newRequest();
      await store.reserve(request);
      await store.release(ended(request));
      const forgottenAt = await client.pexpiretime(keysOf(request).record);
      await untilRedisTime(client, new Date(forgottenAt + 1));
      expectOutcome(await store.reserve(again(request)), 'reserved');
    });
  });
});
