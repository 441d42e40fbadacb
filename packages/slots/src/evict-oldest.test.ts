import type { RedisSlotStore } from './redis-slot-store';
import {
  activeIds,
  again,
  another,
  copySession,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  newRequest,
  reserveMany,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

const evictingAt = (limit: number) => ({ limit, atStreamLimit: 'evict-oldest' as const });
const evicting = evictingAt(2);

describeOnEveryRedis((client) => {
  describe('reserving at the limit with "evict-oldest"', () => {
    it('gives the slot of the oldest session to the new one', async () => {
      const store = storeOn(client);
      const [oldest, second] = await reserveMany(store, 2, evicting);
      const next = another(oldest, { lifetimeMilliseconds: 7_200_000 });
      const { limit } = expectOutcome(await store.reserve(next), 'reserved');
      expect(limit).toBe(2);
      expect(await subjectState(client, next)).toEqual(slotsOf(second?.sessionId ?? '', next.sessionId));
    });

    it('evicts no session below the limit', async () => {
      const store = storeOn(client);
      const [first, second] = await reserveMany(store, 2, evicting);
      expect(await activeIds(store, first)).toEqual([first.sessionId, second?.sessionId]);
    });

    it('orders by start, not by expiry', async () => {
      const store = storeOn(client);
      const requests = await reserveMany(store, 4, { ...evicting, limit: 4 });
      const ids = requests.map(({ sessionId }) => sessionId);
      for (const count of [1, 2, 3]) {
        expectOutcome(await store.reserve(another(requests[0], { lifetimeMilliseconds: 1000 * count })), 'reserved');
        expect((await activeIds(store, requests[0])).slice(0, 4 - count)).toEqual(ids.slice(count));
      }
    });

    it('evicts several sessions if the limit was lowered', async () => {
      const store = storeOn(client);
      const requests = await reserveMany(store, 5, evictingAt(5));
      const next = another(requests[0], { limit: 2 });
      expectOutcome(await store.reserve(next), 'reserved');
      expect(await activeIds(store, next)).toEqual([requests[4]?.sessionId, next.sessionId]);
    });

    it('refuses at a limit of zero, where there is nothing to evict', async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 1, evicting);
      const refused = expectOutcome(await store.reserve(another(first, { limit: 0 })), 'limit_reached');
      expect(refused.activeSessions.map(({ sessionId }) => sessionId)).toEqual([first.sessionId]);
      expect(await activeIds(store, first)).toEqual([first.sessionId]);
    });

    it('evicts no further session for a repeat', async () => {
      const store = storeOn(client);
      const [oldest] = await reserveMany(store, 2, evicting);
      const next = another(oldest);
      expectOutcome(await store.reserve(next), 'reserved');
      const before = await activeIds(store, next);
      expectOutcome(await store.reserve(again(next)), 'repeated');
      expectOutcome(await store.reserve(next), 'reserved');
      expect(await activeIds(store, next)).toEqual(before);
    });

    it('of many parallel reservations, all get a slot and exactly as many as the limit remain', async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 1, evicting);
      const results = await Promise.all(Array.from({ length: 50 }, () => store.reserve(another(first))));
      expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['reserved']));
      expect(await store.countOf(first.environmentId, first.subject)).toBe(2);
    });
  });

  describe('a session that evicts very many', () => {
    /** A thousand sessions of one viewer; the oldest three were reserved through the store. */
    const many = async (store: RedisSlotStore) => {
      const requests = await reserveMany(store, 3);
      const others = Array.from({ length: 997 }, (_, i) => `session-of-many-${i}`);
      await copySession(client, requests[2] ?? requests[0], others, 600_000);
      return { requests, others, next: another(requests[0], { ...evictingAt(2) }) };
    };
    afterEach(() => jest.restoreAllMocks());

    it('ends them in portions, so that Redis can serve others in between', async () => {
      const store = storeOn(client);
      const { requests, others, next } = await many(store);
      const calls = jest.spyOn(client, 'reserveSlotBuffer');
      const { endedSessionIds } = expectOutcome(await store.reserve(next), 'reserved');
      expect(endedSessionIds).toEqual([...requests.map(({ sessionId }) => sessionId), ...others.slice(0, -1)]);
      expect(calls).toHaveBeenCalledTimes(2);
      expect(await subjectState(client, next)).toEqual(slotsOf(others.at(-1) ?? '', next.sessionId));
      for (const request of requests) expect((await store.find(request)).state).toBe('evicted');
    });

    it('if interrupted, has ended no session that would have stayed', async () => {
      const store = storeOn(client);
      const { others, next } = await many(store);
      const reserve = client.reserveSlotBuffer.bind(client);
      jest
        .spyOn(client, 'reserveSlotBuffer')
        .mockImplementationOnce(reserve)
        .mockImplementationOnce(() => Promise.reject(new Error('cut short')));
      await expect(store.reserve(next)).rejects.toThrow('cut short');
      expect(await store.countOf(next.environmentId, next.subject)).toBe(500);
      expect(await subjectState(client, next)).toEqual(slotsOf(...others.slice(497)));
      expect((await store.find(next)).state).toBe('unknown');
      expectOutcome(await store.reserve(next), 'reserved');
    });

    it('evicts them in addition to the one that it replaces', async () => {
      const store = storeOn(client);
      const { requests, others, next } = await many(store);
      const replaced = requests[1]?.sessionId ?? '';
      expectOutcome(await store.reserve({ ...next, replacesSessionId: replaced }), 'reserved');
      expect(await activeIds(store, next)).toEqual([others.at(-1), next.sessionId]);
      expect((await store.find({ ...next, sessionId: replaced })).state).toBe('released');
    });
  });

  describe('an evicted session', () => {
    const evict = async (changes = {}) => {
      const store = storeOn(client);
      const evicted = newRequest({ ...evicting, limit: 1, ...changes });
      const { expiresAt } = expectOutcome(await store.reserve(evicted), 'reserved');
      const next = another(evicted, { lifetimeMilliseconds: 3_600_000 });
      expectOutcome(await store.reserve(next), 'reserved');
      return { store, evicted, next, expiresAt };
    };

    it('is refused every call, and its id cannot be reserved again', async () => {
      const { store, evicted, next } = await evict();
      const call = { ...evicted, maximumSessionMilliseconds: 86_400_000, callsPerMinute: null };
      expect(await store.find(evicted)).toEqual({ state: 'evicted', serverTime: expect.any(Date) });
      expect(await store.renew(call)).toEqual({ outcome: 'evicted' });
      expect(await store.countLicenseRequest(call)).toEqual({ outcome: 'evicted' });
      expectOutcome(await store.reserve(again(evicted)), 'session_id_reused');
      expectOutcome(await store.reserve(evicted), 'session_id_reused');
      expect(await activeIds(store, evicted)).toEqual([next.sessionId]);
    });

    it('stays evicted when it is released, terminated or undone', async () => {
      const { store, evicted, next } = await evict();
      expect(await store.release(ended(evicted))).toBe('unchanged');
      expect(await store.release({ ...evicted, reservationId: null, reason: 'terminated' })).toBe('unchanged');
      await store.undo(evicted);
      expect((await store.find(evicted)).state).toBe('evicted');
      expect(await activeIds(store, evicted)).toEqual([next.sessionId]);
    });

    it('is reported as expired from its expiresAt on, to the second', async () => {
      const { store, evicted, expiresAt } = await evict({ lifetimeMilliseconds: 1000 });
      expect((await store.find(evicted)).state).toBe('evicted');
      await untilRedisTime(client, new Date(expiresAt.getTime() + 1000));
      expect((await store.find(evicted)).state).toBe('expired');
    });

    it('stays evicted even if the session that evicted it is undone', async () => {
      const { store, evicted, next } = await evict();
      await store.undo(next);
      expect((await store.find(evicted)).state).toBe('evicted');
      expect(await subjectState(client, evicted)).toEqual(slotsOf());
    });
  });
});
