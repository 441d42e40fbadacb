import { activeMember } from './keys';
import type { ReserveRequest } from './slot-store';
import {
  activeIds,
  addToRecord,
  again,
  another,
  describeOnEveryRedis,
  expectOutcome,
  keysOf,
  newRequest,
  storeOn,
  type TestClient,
} from './testing/test-store';

const hour = 3_600_000;
const lifetimeMilliseconds = 60_000;

/** Has the session be one that was reserved when the clock of Redis was an hour ahead of now. */
async function reservedAheadOfTime(client: TestClient, request: ReserveRequest): Promise<void> {
  const { slots, active } = keysOf(request);
  await addToRecord(client, request, 'startedAt', hour * 1000);
  await addToRecord(client, request, 'expiresAt', hour);
  await client.zincrby(active, hour, activeMember(request.sessionId, request.subject));
  if ((await client.hexists(slots, '')) === 1) await client.hincrby(slots, '', hour * 1000);
}

/** Has the session be one that was renewed for half an hour before the clock was set back. */
async function renewedSince(client: TestClient, request: ReserveRequest): Promise<void> {
  await addToRecord(client, request, 'expiresAt', hour / 2);
}

describeOnEveryRedis((client) => {
  const store = storeOn(client);
  const limits = { maximumSessionMilliseconds: 24 * hour, callsPerMinute: null };

  /** A session of the time when the clock was ahead. */
  async function sessionFromAhead(changes: Partial<ReserveRequest> = {}): Promise<ReserveRequest> {
    const request = newRequest({ lifetimeMilliseconds, ...changes });
    expectOutcome(await store.reserve(request), 'reserved');
    await reservedAheadOfTime(client, request);
    return request;
  }

  describe('a session that starts in the future, because the clock of Redis was set back,', () => {
    it('lasts for a lifetime from its renewal, in all keys', async () => {
      const request = await sessionFromAhead();
      await renewedSince(client, request);
      const { startedAt, serverTime, expiresAt } = expectOutcome(
        await store.renew({ ...request, ...limits }),
        'renewed',
      );
      expect(startedAt).toEqual(serverTime);
      expect(expiresAt.getTime()).toBe(serverTime.getTime() + lifetimeMilliseconds);
      const score = await client.zscore(keysOf(request).active, activeMember(request.sessionId, request.subject));
      expect(score).toBe(String(expiresAt.getTime()));
    });

    it('ends at most a maximum session after its first renewal', async () => {
      const request = await sessionFromAhead();
      const longest = { ...request, ...limits, maximumSessionMilliseconds: lifetimeMilliseconds + 1 };
      const first = expectOutcome(await store.renew(longest), 'renewed');
      const later = expectOutcome(await store.renew({ ...longest, lifetimeMilliseconds: hour }), 'renewed');
      expect(later.startedAt).toEqual(first.startedAt);
      expect(later.expiresAt.getTime()).toBe(first.startedAt.getTime() + lifetimeMilliseconds + 1);
    });

    it('gets licenses as if it started now', async () => {
      const request = await sessionFromAhead();
      const counted = expectOutcome(await store.countLicenseRequest({ ...request, callsPerMinute: null }), 'counted');
      const { startedAt, serverTime, expiresAt } = counted;
      expect(startedAt).toEqual(serverTime);
      expect(expiresAt.getTime()).toBe(serverTime.getTime() + lifetimeMilliseconds);
    });

    it('has a repeat of its request answered as if it started now', async () => {
      const request = await sessionFromAhead();
      const { startedAt, serverTime, expiresAt } = expectOutcome(await store.reserve(again(request)), 'repeated');
      expect(startedAt).toEqual(serverTime);
      expect(expiresAt.getTime()).toBe(serverTime.getTime() + lifetimeMilliseconds);
    });

    it('holds its slot for a lifetime at most from the first create that finds the limit reached', async () => {
      const request = await sessionFromAhead({ limit: 1 });
      await renewedSince(client, request);
      const { activeSessions } = expectOutcome(await store.reserve(another(request)), 'limit_reached');
      const found = await store.find(request);
      if (found.state !== 'reserved') throw new Error(found.state);
      const { startedAt, serverTime, expiresAt } = found;
      expect(startedAt.getTime()).toBeLessThanOrEqual(serverTime.getTime());
      expect(expiresAt.getTime()).toBeLessThanOrEqual(serverTime.getTime() + lifetimeMilliseconds);
      expect(activeSessions).toMatchObject([{ startedAt, expiresAt }]);
      const score = await client.zscore(keysOf(request).active, activeMember(request.sessionId, request.subject));
      expect(score).toBe(String(expiresAt.getTime()));
    });

    it('does not make the next one start in the future, and stays before it', async () => {
      const first = await sessionFromAhead();
      const second = another(first);
      await store.reserve(second);
      const third = another(first);
      await store.reserve(third);
      await reservedAheadOfTime(client, third);
      await reservedAheadOfTime(client, second);
      const next = another(first);
      const { startedAt, serverTime } = expectOutcome(await store.reserve(next), 'reserved');
      expect(startedAt).toEqual(serverTime);
      expect(await activeIds(store, first)).toEqual([first, second, third, next].map(({ sessionId }) => sessionId));
    });

    it('is ended to make room before those that have started since', async () => {
      const request = await sessionFromAhead({ limit: 2, atStreamLimit: 'evict-oldest' });
      const since = another(request);
      await store.reserve(since);
      const { endedSessionIds } = expectOutcome(await store.reserve(another(request)), 'reserved');
      expect(endedSessionIds).toEqual([request.sessionId]);
    });

    it('is restored as if it started now', async () => {
      const request = newRequest({ lifetimeMilliseconds });
      const startedAt = new Date(Date.now() + hour);
      const expiresAt = new Date(startedAt.getTime() + hour);
      expect(await store.restore({ ...request, startedAt, expiresAt })).toBe('reserved');
      const found = await store.find(request);
      if (found.state !== 'reserved') throw new Error(found.state);
      expect(found.startedAt.getTime()).toBeLessThanOrEqual(found.serverTime.getTime());
      expect(found.expiresAt.getTime()).toBeLessThanOrEqual(found.serverTime.getTime() + lifetimeMilliseconds);
    });
  });
});
