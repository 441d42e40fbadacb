import type { ReserveRequest, RestoreRequest } from './slot-store';
import {
  activeIds,
  addToRecord,
  again,
  another,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  keysOf,
  newRequest,
  publishViewer,
  redisTime,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  const store = storeOn(client);

  /** Loses what Redis has of the subject and its bucket, as a failover may. */
  async function loseSubject(request: ReserveRequest): Promise<void> {
    const { slots, active, ended } = keysOf(request);
    await client.del(slots, active, ended);
  }

  /** What the license token of a session says. */
  function restoreRequest(request: ReserveRequest, changes: Partial<RestoreRequest> = {}): RestoreRequest {
    const startedAt = new Date(Date.now() - 60_000);
    return { ...request, startedAt, expiresAt: new Date(startedAt.getTime() + 600_000), ...changes };
  }

  describe('a session that Redis has lost', () => {
    it('is reserved under the same ids, with the same times and the same grant', async () => {
      const request = newRequest({ limit: 3 });
      const { startedAt, expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      const before = await store.find(request);
      await loseSubject(request);
      expect(await store.restore({ ...request, startedAt, expiresAt })).toBe('reserved');
      expect(await store.find(request)).toEqual({ ...before, serverTime: expect.any(Date) });
      const { records, active } = await subjectState(client, request);
      expect([records, active]).toEqual([[request.sessionId], [request.sessionId]]);
    });

    it('can be renewed, licensed and released', async () => {
      const request = newRequest();
      await store.restore(restoreRequest(request));
      const call = { ...request, maximumSessionMilliseconds: 86_400_000, callsPerMinute: null };
      expectOutcome(await store.renew(call), 'renewed');
      expect(expectOutcome(await store.countLicenseRequest(call), 'counted').licenseRequests).toBe(1);
      expect(await store.release(ended(request))).toBe('released');
      expect(await store.restore(restoreRequest(request))).toBe('known');
    });

    it('expires at the time in its token', async () => {
      const request = newRequest();
      const expiresAt = new Date((await redisTime(client)) + 500);
      expect(await store.restore(restoreRequest(request, { expiresAt }))).toBe('reserved');
      // The sweep looks there.
      expect(await client.zscore(keysOf(request).expiring, request.environmentId)).toBe(`${expiresAt.getTime()}`);
      await untilRedisTime(client, expiresAt);
      expect((await store.find(request)).state).toBe('expired');
      expect(await store.restore(restoreRequest(request, { expiresAt }))).toBe('known');
    });

    it('is not reserved from that time on', async () => {
      const request = newRequest();
      expect(await store.restore(restoreRequest(request, { expiresAt: new Date(await redisTime(client)) }))).toBe(
        'expired',
      );
      expect((await store.find(request)).state).toBe('unknown');
    });

    it('is an earlier session than those that started since, and any two have different starts', async () => {
      const [one, two, three] = [newRequest(), newRequest(), newRequest()].map((each, _, [first]) => ({
        ...each,
        environmentId: first?.environmentId ?? '',
      })) as [ReserveRequest, ReserveRequest, ReserveRequest];
      await store.reserve(three);
      const startedAt = new Date(Date.now() - 60_000);
      await store.restore(restoreRequest(one, { startedAt }));
      await store.restore(restoreRequest(two, { startedAt }));
      const newest = another(one);
      await store.reserve(newest);
      const order = [one, two, three, newest].map(({ sessionId }) => sessionId);
      expect(await activeIds(store, one)).toEqual(order);
      const { cursor } = await store.listSubject(one.environmentId, one.subject, { limit: 1 });
      const { sessions } = await store.listSubject(one.environmentId, one.subject, { limit: 3, cursor: cursor ?? '' });
      expect(sessions.map(({ sessionId }) => sessionId)).toEqual(order.slice(1));
    });

    it('does not make the next session start before others if the clock of Redis was set back', async () => {
      const request = newRequest();
      const ahead = new Date((await redisTime(client)) + 60_000);
      await store.reserve(request);
      const lost = another(request);
      await store.restore(restoreRequest(lost, { startedAt: ahead, expiresAt: new Date(ahead.getTime() + 60_000) }));
      const next = another(request);
      await store.reserve(next);
      expect(await activeIds(store, request)).toEqual([request, lost, next].map(({ sessionId }) => sessionId));
    });
  });

  describe('a session is not reserved again', () => {
    it('if it is active', async () => {
      const request = newRequest();
      await store.reserve(request);
      expect(await store.restore(restoreRequest(request))).toBe('known');
      expect(await store.restore(restoreRequest(again(request)))).toBe('known');
    });

    it.each<[string, (request: ReserveRequest) => Promise<unknown>]>([
      ['released', (request) => store.release(ended(request))],
      ['terminated', (request) => store.release({ ...ended(request), reason: 'terminated' })],
      ['replaced', (request) => store.reserve(another(request, { replacesSessionId: request.sessionId }))],
      ['evicted', (request) => store.reserve(another(request, { limit: 1, atStreamLimit: 'evict-oldest' }))],
    ])('if it was %s', async (_how, end) => {
      const request = newRequest();
      await store.reserve(request);
      await end(request);
      expect(await store.restore(restoreRequest(request))).toBe('known');
      expect(await activeIds(store, request)).not.toContain(request.sessionId);
    });

    it('if it was released or replaced after it was lost', async () => {
      const [released, replaced] = [newRequest(), newRequest()];
      await store.remember(released, null);
      await store.reserve(another(replaced, { replacesSessionId: replaced.sessionId }));
      expect(await store.restore(restoreRequest(released))).toBe('known');
      expect(await store.restore(restoreRequest(replaced))).toBe('known');
    });

    it('if its reservation was undone before it arrived; another reservation of the id may come back', async () => {
      const request = newRequest();
      await store.undo(request);
      expect(await store.restore(restoreRequest(request))).toBe('known');
      expect(await store.restore(restoreRequest(again(request)))).toBe('reserved');
    });

    it('if the viewer is blocked', async () => {
      const request = newRequest();
      await publishViewer(client, request, { status: 'blocked', maximumConcurrentStreams: null });
      expect(await store.restore(restoreRequest(request))).toBe('subject_blocked');
    });

    it('if the organization is full', async () => {
      expect(await store.restore(restoreRequest(newRequest(), { organizationIsFull: true }))).toBe('organization_full');
    });

    it.each<[string, number | null, number | null, number]>([
      ['the limit of its token is reached', 2, null, 2],
      ['the limit of its token is reached and the viewer may have more', 2, 5, 2],
      ["the viewer's own limit is reached", null, 2, 2],
      ["the viewer's own limit was lowered", 3, 1, 1],
    ])('if %s, and no other session ends', async (_case, limit, own, room) => {
      const request = newRequest({ limit, atStreamLimit: 'evict-oldest' });
      if (own !== null) await publishViewer(client, request, { status: 'active', maximumConcurrentStreams: own });
      const lost = Array.from({ length: 4 }, () => another(request));
      const outcomes = [];
      for (const each of lost) outcomes.push(await store.restore(restoreRequest(each)));
      expect(outcomes).toEqual(lost.map((_, index) => (index < room ? 'reserved' : 'limit_reached')));
      expect((await activeIds(store, request)).sort()).toEqual(
        lost
          .slice(0, room)
          .map(({ sessionId }) => sessionId)
          .sort(),
      );
    });
  });

  it('expired sessions take no room, and the hundredth session is the last', async () => {
    const request = newRequest({ limit: 1 });
    await store.reserve(request);
    await addToRecord(client, request, 'expiresAt', -3_600_000);
    expect(await store.restore(restoreRequest(another(request)))).toBe('reserved');
    expect(await store.restore(restoreRequest(another(request)))).toBe('limit_reached');
    const unlimited = newRequest();
    const lost = Array.from({ length: 110 }, () => store.restore(restoreRequest(another(unlimited))));
    const outcomes = await Promise.all(lost);
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(100);
  });

  it('never more than the limit come back or start at the same time', async () => {
    const request = newRequest({ limit: 3 });
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? store.restore(restoreRequest(another(request)))
        : store.reserve(another(request)).then(({ outcome }) => outcome),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(3);
    expect(await activeIds(store, request)).toHaveLength(3);
  });
});
