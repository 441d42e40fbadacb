import {
  again,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  neighbourOf,
  newRequest,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('reserving with a used session id', () => {
    it('returns the first reservation for the same request and takes no second slot', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 2 });
      const { outcome, serverTime, endedSessionIds, ...first } = expectOutcome(
        await store.reserve(request),
        'reserved',
      );
      const repeated = expectOutcome(await store.reserve(again(request, { lifetimeMilliseconds: 1000 })), 'repeated');
      expect(repeated).toMatchObject(first);
      expect(repeated.serverTime.getTime()).toBeGreaterThanOrEqual(serverTime.getTime());
      expect(await subjectState(client, request)).toEqual(slotsOf(request.sessionId));
    });

    it('also works at the limit', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      expectOutcome(await store.reserve(again(request)), 'repeated');
      expectOutcome(await store.reserve(again(request, { limit: 0 })), 'repeated');
    });

    it('returns one reservation for the same request sent many times in parallel', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 5 });
      const results = await Promise.all(Array.from({ length: 50 }, () => store.reserve(again(request))));
      expect(results.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(1);
      expect(results.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
      expect((await subjectState(client, request)).records).toHaveLength(1);
    });

    it('returns the first result for a call that the client library sent twice', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      const first = expectOutcome(await store.reserve(request), 'reserved');
      const second = expectOutcome(await store.reserve(request), 'reserved');
      expect({ ...second, serverTime: first.serverTime }).toEqual(first);
    });

    it('refuses another request', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      const another = { requestHash: 'another' };
      const refused = { outcome: 'session_id_reused', byAnotherRequest: true };
      expect(await store.reserve(again(request, another))).toEqual(refused);
      await store.release(ended(request));
      expect(await store.reserve(again(request, another))).toEqual(refused);
      expect(await store.reserve(again(request))).toEqual({ ...refused, byAnotherRequest: false });
    });

    it('does not report an id that ended before it was reserved as one of another request', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.remember(request, null);
      expect(await store.reserve(request)).toEqual({ outcome: 'session_id_reused', byAnotherRequest: false });
    });

    it('refuses the same request if it is too late for a repeat', async () => {
      const store = storeOn(client, { idempotentRepeatSeconds: 1 });
      const request = newRequest();
      const { startedAt } = expectOutcome(await store.reserve(request), 'reserved');
      await untilRedisTime(client, new Date(startedAt.getTime() + 1001));
      expectOutcome(await store.reserve(again(request)), 'session_id_reused');
    });

    it('refuses the same request if its session has expired', async () => {
      const store = storeOn(client);
      const request = newRequest({ lifetimeMilliseconds: 20 });
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      await untilRedisTime(client, expiresAt);
      expectOutcome(await store.reserve(again(request)), 'session_id_reused');
      expectOutcome(await store.reserve(request), 'session_id_reused');
    });

    it('refuses the same request if its session was released', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      await store.release(ended(request));
      expectOutcome(await store.reserve(again(request)), 'session_id_reused');
      expectOutcome(await store.reserve(request), 'session_id_reused');
    });

    it('treats the same id under another subject as another session', async () => {
      const store = storeOn(client);
      const request = newRequest();
      const other = again(request, { subject: neighbourOf(request), requestHash: 'another' });
      expectOutcome(await store.reserve(request), 'reserved');
      expectOutcome(await store.reserve(other), 'reserved');
      expect(await store.release(ended(request))).toBe('released');
      expectOutcome(await store.reserve(again(other)), 'repeated');
    });
  });
});
