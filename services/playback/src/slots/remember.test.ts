import { randomUUID } from 'node:crypto';
import {
  activeIds,
  again,
  another,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  keysOf,
  neighbourOf,
  newRequest,
  recordOf,
  redisTime,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

const quarterOfAnHour = 900_000;

describeOnEveryRedis((client) => {
  const inFuture = async (milliseconds: number) => new Date((await redisTime(client)) + milliseconds);

  describe('an id that was released before it was reserved', () => {
    it('is not stored by its release alone', async () => {
      const store = storeOn(client);
      const request = newRequest();
      expect(await store.release(ended(request))).toBe('unknown');
      expect(await store.release({ ...request, reservationId: null, reason: 'terminated' })).toBe('unknown');
      expect(await recordOf(client, request)).toBeNull();
      expect(await client.exists(keysOf(request).ended)).toBe(0);
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

    it('is remembered for a quarter of an hour, in a few bytes regardless of its length', async () => {
      const store = storeOn(client);
      const request = newRequest({ sessionId: 'x'.repeat(128), subject: 'ü'.repeat(256) });
      const before = await redisTime(client);
      await store.remember(request, null);
      const after = await redisTime(client);
      const key = keysOf(request).ended;
      const forgottenAt = await client.pexpiretime(key);
      expect(forgottenAt).toBeGreaterThanOrEqual(before + quarterOfAnHour);
      expect(forgottenAt).toBeLessThan(after + quarterOfAnHour + 1000);
      const one = Number(await client.memory('USAGE', key));
      const others = Array.from({ length: 99 }, () => ({ ...request, sessionId: randomUUID() }));
      await Promise.all(others.map((other) => store.remember(other, null)));
      expect((Number(await client.memory('USAGE', key, 'SAMPLES', 0)) - one) / 99).toBeLessThan(64);
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
      expect(await client.exists(keysOf(past).ended)).toBe(0);
    });

    it('is removed after it is forgotten', async () => {
      const store = storeOn(client);
      const first = newRequest();
      const until = await inFuture(20);
      const short = Array.from({ length: 30 }, () => another(first));
      await Promise.all(short.map((request) => store.remember(request, until)));
      await store.remember(first, null);
      await untilRedisTime(client, new Date(until.getTime() + 1000));
      for (let call = 0; call < 3; call += 1) await store.remember(another(first), null);
      expect(await client.zcard(keysOf(first).ended)).toBe(4);
    });

    it('is not remembered if its session was created in the meantime, which can be released', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      expectOutcome(await store.reserve(request), 'reserved');
      expect(await store.remember(request, null)).toBe('known');
      expect(await client.exists(keysOf(request).ended)).toBe(0);
      expect(await activeIds(store, request)).toEqual([request.sessionId]);
      expect(await store.release(ended(request))).toBe('released');
    });
  });
});
