import {
  again,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  keysOf,
  newRequest,
  recordOf,
  redisTime,
  storeOn,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('finding a session', () => {
    it('returns its reservation, limit and grant, and changes nothing', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 3, grant: Buffer.from([0, 255, 128, 10]) });
      const { outcome, serverTime, endedSessionIds, ...reservation } = expectOutcome(
        await store.reserve(request),
        'reserved',
      );
      const before = await recordOf(client, request);
      expect(await store.find(request)).toEqual({
        state: 'reserved',
        ...reservation,
        details: { ...request.details, applicationId: null, clientPlatform: null, attemptId: null, reporting: null },
        grant: request.grant,
        serverTime: expect.any(Date),
      });
      expect(await recordOf(client, request)).toEqual(before);
    });

    it('returns how it has ended, by the clock of Redis', async () => {
      const store = storeOn(client);
      const expired = newRequest({ lifetimeMilliseconds: 1 });
      const { expiresAt } = expectOutcome(await store.reserve(expired), 'reserved');
      await untilRedisTime(client, expiresAt);
      const [released, terminated, unknown] = [newRequest(), newRequest(), newRequest()];
      await store.reserve(released);
      await store.release(ended(released));
      await store.reserve(terminated);
      expect(await store.release({ ...terminated, reason: 'terminated' })).toBe('released');
      for (const [state, request] of Object.entries({ expired, released, terminated, unknown })) {
        const before = await redisTime(client);
        const found = await store.find(request);
        expect(found).toEqual({ state, serverTime: expect.any(Date) });
        // Any node of the cluster may reply; here they share one clock.
        expect(found.serverTime.getTime()).toBeGreaterThanOrEqual(before);
      }
    });

    it('finds the state of an ended session without its record', async () => {
      const store = storeOn(client);
      const played = newRequest();
      await store.reserve(played);
      await store.release({ ...played, reason: 'ended' });
      expect(await recordOf(client, played)).toBeNull();
      expect((await store.find(played)).state).toBe('released');
    });

    it('fails for a record of another version', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await client.hset(keysOf(request).slots, request.sessionId, Buffer.from([2, 0, 0]));
      await expect(store.find(request)).rejects.toThrow('another version: 2');
      await expect(store.listSubject(request.environmentId, request.subject, { limit: 1 })).rejects.toThrow('version');
    });
  });

  describe('releasing any reservation of a session', () => {
    it('frees its slot, and an empty reservation id does not mean any', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      await expect(store.release({ ...ended(request), reservationId: '' })).rejects.toThrow(RangeError);
      expect(await store.release(ended(again(request)))).toBe('unchanged');
      expect(await store.release({ ...request, reservationId: null, reason: 'ended' })).toBe('released');
      expect((await store.find(request)).state).toBe('released');
    });
  });
});
