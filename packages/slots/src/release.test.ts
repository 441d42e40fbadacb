import {
  again,
  another,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  newRequest,
  redisTime,
  rememberedUntil,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('releasing a session', () => {
    it('frees its slot at once', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      const next = another(request);
      await store.reserve(request);
      expectOutcome(await store.reserve(next), 'limit_reached');
      expect(await store.release(ended(request))).toBe('released');
      expectOutcome(await store.reserve(next), 'reserved');
    });

    it('changes nothing the second time', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      await store.release(ended(request));
      const before = await rememberedUntil(client, request);
      expect(before).not.toBeNull();
      await untilRedisTime(client, new Date((await redisTime(client)) + 1001));
      expect(await store.release(ended(request))).toBe('unchanged');
      expect(await rememberedUntil(client, request)).toBe(before);
    });

    it('changes nothing for the reservation id of another reservation', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      expect(await store.release(ended(again(request)))).toBe('unchanged');
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
      expect(await store.release(ended(request))).toBe('released');
    });

    it('changes nothing once the session has expired, nor for the session that has its slot now', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1, lifetimeMilliseconds: 20 });
      const next = another(request, { lifetimeMilliseconds: 60_000 });
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      await untilRedisTime(client, expiresAt);
      expectOutcome(await store.reserve(next), 'reserved');
      expect(await store.release(ended(request))).toBe('unchanged');
      expect((await store.find(request)).state).toBe('expired');
      expect(await subjectState(client, next)).toEqual(slotsOf(next.sessionId));
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
    });

    it('does not affect a later session that has the same id after the first was forgotten', async () => {
      const store = storeOn(client, { sessionIdRetentionSeconds: 1 });
      const request = newRequest({ limit: 1, lifetimeMilliseconds: 20 });
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      await untilRedisTime(client, new Date(expiresAt.getTime() + 2001));
      expectOutcome(await store.reserve(again(request, { lifetimeMilliseconds: 60_000 })), 'reserved');
      expect(await store.release(ended(request))).toBe('unchanged');
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
    });

    it('does not affect other slots', async () => {
      const store = storeOn(client);
      const short = newRequest({ lifetimeMilliseconds: 60_000 });
      const long = another(short, { lifetimeMilliseconds: 600_000 });
      expectOutcome(await store.reserve(short), 'reserved');
      expectOutcome(await store.reserve(long), 'reserved');
      expect(await subjectState(client, short)).toEqual(slotsOf(short.sessionId, long.sessionId));
      await store.release(ended(long));
      expect(await subjectState(client, short)).toEqual(slotsOf(short.sessionId));
      await store.release(ended(short));
      expect(await subjectState(client, short)).toEqual(slotsOf());
    });
  });
});
