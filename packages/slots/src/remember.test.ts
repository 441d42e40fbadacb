import {
  activeIds,
  again,
  another,
  describeOnEveryRedis,
  ended,
  endedMember,
  expectOutcome,
  keysOf,
  neighbourOf,
  newRequest,
  recordOf,
  redisTime,
  rememberedUntil,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

const longestSession = 86_400_000;

describeOnEveryRedis((client) => {
  const inFuture = async (milliseconds: number) => new Date((await redisTime(client)) + milliseconds);

  describe('an id that was released before it was reserved', () => {
    it('is not stored by its release alone', async () => {
      const store = storeOn(client);
      const request = newRequest();
      expect(await store.release(ended(request))).toBe('unknown');
      expect(await store.release({ ...request, reservationId: null, reason: 'terminated' })).toBe('unknown');
      expect(await recordOf(client, request)).toBeNull();
      expect(await rememberedUntil(client, request)).toBeNull();
      expectOutcome(await store.reserve(request), 'reserved');
    });

    it('cannot be reserved while it is remembered, and the same id of another subject can', async () => {
      const store = storeOn(client);
      const request = newRequest();
      expect(await store.remember(request, null)).toBe('remembered');
      expect(await store.reserve(request)).toEqual({ outcome: 'session_id_reused', byAnotherRequest: false });
      expectOutcome(await store.reserve(again(request)), 'session_id_reused');
      expect(await store.find(request)).toMatchObject({ state: 'unknown' });
      expect(await subjectState(client, request)).toEqual(slotsOf());
      expectOutcome(await store.reserve(another(request)), 'reserved');
      expectOutcome(await store.reserve({ ...request, subject: neighbourOf(request) }), 'reserved');
    });

    it('is remembered for the longest session, in a few bytes regardless of its length', async () => {
      const store = storeOn(client);
      const request = newRequest({ sessionId: 'x'.repeat(128), subject: 'ü'.repeat(256) });
      const before = await redisTime(client);
      await store.remember(request, null);
      const after = await redisTime(client);
      const forgottenAt = await rememberedUntil(client, request);
      expect(forgottenAt).toBeGreaterThanOrEqual(before + longestSession);
      expect(forgottenAt).toBeLessThan(after + longestSession + 1000);
      expect(await client.pexpiretime(keysOf(request).ended)).toBeGreaterThanOrEqual(forgottenAt ?? Number.NaN);
      expect(endedMember(request)).toHaveLength(16);
    });

    it('is remembered until the given time, never shorter than before, and not for a past time', async () => {
      const store = storeOn(client);
      const [soon, late] = [newRequest(), newRequest()];
      const until = await inFuture(100);
      await store.remember(soon, until);
      await store.remember(late, await inFuture(60_000));
      await store.remember(late, until);
      await untilRedisTime(client, new Date(until.getTime() + 1000));
      expectOutcome(await store.reserve(soon), 'reserved');
      expectOutcome(await store.reserve(late), 'session_id_reused');
      const past = newRequest();
      expect(await store.remember(past, until)).toBe('remembered');
      expect(await rememberedUntil(client, past)).toBeNull();
    });

    it('is removed after it is forgotten', async () => {
      const store = storeOn(client);
      const first = newRequest();
      const until = await inFuture(20);
      const short = Array.from({ length: 30 }, () => another(first));
      await Promise.all(short.map((request) => store.remember(request, until)));
      await store.remember(first, null);
      await untilRedisTime(client, new Date(until.getTime() + 1000));
      for (let call = 0; call < 10; call += 1) await store.remember(another(first), null);
      const left = await Promise.all([first, ...short].map((request) => rememberedUntil(client, request)));
      expect(left.filter((time) => time !== null)).toHaveLength(1);
    });

    it('is not remembered if its session was created in the meantime, which can be released', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      expectOutcome(await store.reserve(request), 'reserved');
      expect(await store.remember(request, null)).toBe('known');
      expect(await rememberedUntil(client, request)).toBeNull();
      expect(await activeIds(store, request)).toEqual([request.sessionId]);
      expect(await store.release(ended(request))).toBe('released');
    });
  });
});
