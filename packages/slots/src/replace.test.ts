import {
  activeIds,
  again,
  another,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  neighbourOf,
  newRequest,
  recordOf,
  rememberedUntil,
  reserveMany,
  slotsOf,
  storeOn,
  subjectState,
  toSecond,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('reserving to replace another session', () => {
    it('releases that session atomically, also at the limit', async () => {
      const store = storeOn(client, { sessionIdRetentionSeconds: 3600 });
      const [old] = await reserveMany(store, 1, { limit: 1, lifetimeMilliseconds: 7_200_000 });
      const next = another(old, { replacesSessionId: old.sessionId, lifetimeMilliseconds: 3_600_000 });
      const { serverTime } = expectOutcome(await store.reserve(next), 'reserved');
      expect((await store.find(old)).state).toBe('released');
      expect(await subjectState(client, next)).toEqual(slotsOf(next.sessionId));
      expect(await rememberedUntil(client, old)).toBe(toSecond(serverTime.getTime() + 3_600_000));
      expectOutcome(await store.reserve(again(old)), 'session_id_reused');
    });

    it('remembers an unknown id for the longest session, so that an overtaken create takes no slot', async () => {
      const store = storeOn(client);
      const overtaken = newRequest({ limit: 2 });
      const next = another(overtaken, { replacesSessionId: overtaken.sessionId });
      const { serverTime } = expectOutcome(await store.reserve(next), 'reserved');
      expectOutcome(await store.reserve(overtaken), 'session_id_reused');
      expect(await subjectState(client, next)).toEqual(slotsOf(next.sessionId));
      expect((await store.find(overtaken)).state).toBe('unknown');
      expect(await rememberedUntil(client, overtaken)).toBe(toSecond(serverTime.getTime() + 86_400_000));
    });

    it('remembers it even if the replacement is undone, as if both had arrived in order', async () => {
      const store = storeOn(client);
      const overtaken = newRequest();
      const next = another(overtaken, { replacesSessionId: overtaken.sessionId });
      await store.reserve(next);
      await store.undo(next);
      expectOutcome(await store.reserve(overtaken), 'session_id_reused');
      expect(await activeIds(store, next)).toEqual([]);
    });

    it("does not remember another subject's id, or one named in a repeat", async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 1);
      const stranger = another(first, { subject: neighbourOf(first) });
      const next = another(first, { replacesSessionId: stranger.sessionId });
      expectOutcome(await store.reserve(next), 'reserved');
      expectOutcome(await store.reserve(stranger), 'reserved');
      const unknown = another(first);
      expectOutcome(await store.reserve(again(next, { replacesSessionId: unknown.sessionId })), 'repeated');
      expectOutcome(await store.reserve(unknown), 'reserved');
    });

    it("frees nothing for an id that is unknown, ended, another subject's or its own", async () => {
      const store = storeOn(client);
      const [first, released] = await reserveMany(store, 2, { limit: 2 });
      const stranger = again(first, { subject: neighbourOf(first) });
      const strangers = another(stranger);
      expectOutcome(await store.reserve(strangers), 'reserved');
      if (released !== undefined) await store.release(ended(released));
      const blocker = another(first);
      expectOutcome(await store.reserve(blocker), 'reserved');
      const unknown = another(first);
      const next = another(first);
      for (const { sessionId } of [unknown, released ?? unknown, strangers, next]) {
        expectOutcome(await store.reserve({ ...next, replacesSessionId: sessionId }), 'limit_reached');
      }
      expect(await rememberedUntil(client, unknown)).toBeNull();
      expect((await store.find(strangers)).state).toBe('reserved');
      const own = { ...next, limit: 3, replacesSessionId: next.sessionId };
      expectOutcome(await store.reserve(own), 'reserved');
      expect(await activeIds(store, first)).toEqual([first.sessionId, blocker.sessionId, next.sessionId]);
    });

    it('does not change an expired session', async () => {
      const store = storeOn(client);
      const old = newRequest({ limit: 1, lifetimeMilliseconds: 20 });
      const { expiresAt } = expectOutcome(await store.reserve(old), 'reserved');
      await untilRedisTime(client, expiresAt);
      expectOutcome(await store.reserve(another(old, { replacesSessionId: old.sessionId })), 'reserved');
      expect((await store.find(old)).state).toBe('expired');
    });

    it('keeps the old session on a refusal', async () => {
      const store = storeOn(client);
      const [old, other] = await reserveMany(store, 2, { limit: 2 });
      const before = [await recordOf(client, old), await subjectState(client, old)];
      const next = another(old, { limit: 1, replacesSessionId: old.sessionId });
      const { activeSessions } = expectOutcome(await store.reserve(next), 'limit_reached');
      expect(activeSessions.map(({ sessionId }) => sessionId)).toEqual([old.sessionId, other?.sessionId]);
      const reused = again(old, { requestHash: 'another', replacesSessionId: other?.sessionId ?? null });
      expectOutcome(await store.reserve(reused), 'session_id_reused');
      expect([await recordOf(client, old), await subjectState(client, old)]).toEqual(before);
    });

    it('evicts others only if the replacement does not make enough room', async () => {
      const store = storeOn(client);
      const [first, second, third] = await reserveMany(store, 3, { limit: 3, atStreamLimit: 'evict-oldest' });
      const next = another(first, { replacesSessionId: first.sessionId });
      expectOutcome(await store.reserve(next), 'reserved');
      expect(await activeIds(store, first)).toEqual([second?.sessionId, third?.sessionId, next.sessionId]);
      const last = another(first, { replacesSessionId: third?.sessionId ?? null, limit: 2 });
      expectOutcome(await store.reserve(last), 'reserved');
      expect(await activeIds(store, first)).toEqual([next.sessionId, last.sessionId]);
      expect((await store.find(second ?? first)).state).toBe('evicted');
    });

    it('replaces nothing a second time for a repeat', async () => {
      const store = storeOn(client);
      const [old, other] = await reserveMany(store, 2);
      const next = another(old, { replacesSessionId: old.sessionId });
      expectOutcome(await store.reserve(next), 'reserved');
      const repeat = again(next, { replacesSessionId: other?.sessionId ?? null });
      expectOutcome(await store.reserve(repeat), 'repeated');
      expect(await activeIds(store, old)).toEqual([other?.sessionId, next.sessionId]);
    });

    it('does not restore the old session when the new one is undone', async () => {
      const store = storeOn(client);
      const [old] = await reserveMany(store, 1);
      const next = another(old, { replacesSessionId: old.sessionId });
      await store.reserve(next);
      await store.undo(next);
      expect((await store.find(old)).state).toBe('released');
      expect(await activeIds(store, old)).toEqual([]);
    });
  });

  describe('an organization without streams left', () => {
    const full = { organizationIsFull: true };

    it('is refused a session that would add a stream, and nothing changes', async () => {
      const store = storeOn(client);
      const [old] = await reserveMany(store, 1, { limit: 2, atStreamLimit: 'evict-oldest' });
      const before = [await recordOf(client, old), await subjectState(client, old)];
      const next = another(old, full);
      expect(await store.reserve(next)).toEqual({ outcome: 'organization_full' });
      expect(await store.reserve({ ...next, replacesSessionId: another(old).sessionId })).toEqual({
        outcome: 'organization_full',
      });
      expect(await store.reserve(newRequest(full))).toEqual({ outcome: 'organization_full' });
      expect([await recordOf(client, old), await subjectState(client, old)]).toEqual(before);
      expect((await store.find(next)).state).toBe('unknown');
      expect(await rememberedUntil(client, next)).toBeNull();
    });

    it('gets a repeat, and a session that replaces or evicts another', async () => {
      const store = storeOn(client);
      const [old] = await reserveMany(store, 1, { limit: 1, atStreamLimit: 'evict-oldest' });
      expectOutcome(await store.reserve(again(old, full)), 'repeated');
      const evicting = another(old, full);
      expectOutcome(await store.reserve(evicting), 'reserved');
      expectOutcome(await store.reserve(another(old, { ...full, replacesSessionId: evicting.sessionId })), 'reserved');
    });

    it("is refused because of the viewer's own limit first", async () => {
      const store = storeOn(client);
      const [old] = await reserveMany(store, 1, { limit: 1 });
      expectOutcome(await store.reserve(another(old, full)), 'limit_reached');
    });
  });
});
