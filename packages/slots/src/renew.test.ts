import { activeMember } from './keys';
import type { RenewRequest, ReserveRequest } from './slot-store';
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
  recordOf,
  redisTime,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

function renewal(request: ReserveRequest, lifetimeMilliseconds: number): RenewRequest {
  return { ...request, lifetimeMilliseconds, maximumSessionMilliseconds: 86_400_000, callsPerMinute: null };
}

describeOnEveryRedis((client) => {
  describe('renewing a session', () => {
    it('sets its expiresAt to a lifetime from now, in all keys', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 2, lifetimeMilliseconds: 60_000 });
      const { outcome, serverTime, endedSessionIds, ...first } = expectOutcome(
        await store.reserve(request),
        'reserved',
      );
      const renewed = expectOutcome(await store.renew(renewal(request, 90_000)), 'renewed');
      expect(renewed).toMatchObject({ ...first, expiresAt: new Date(renewed.serverTime.getTime() + 90_000) });
      expect(await subjectState(client, request)).toEqual(slotsOf(request.sessionId));
      const member = activeMember(request.sessionId, request.subject);
      expect(await client.zscore(keysOf(request).active, member)).toBe(String(renewed.expiresAt.getTime()));
      expect(await store.find(request)).toMatchObject({ state: 'reserved', expiresAt: renewed.expiresAt });
      expect(await store.reserve(again(request))).toMatchObject({ outcome: 'repeated', expiresAt: renewed.expiresAt });
    });

    it('never moves it backwards', async () => {
      const store = storeOn(client);
      const request = newRequest({ lifetimeMilliseconds: 60_000 });
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      expect(expectOutcome(await store.renew(renewal(request, 1000)), 'renewed').expiresAt).toEqual(expiresAt);
    });

    it('never moves it past the maximum session, nor backwards if that is shorter than the first lifetime', async () => {
      const store = storeOn(client);
      const request = newRequest({ lifetimeMilliseconds: 60_000 });
      const { startedAt, expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      const longest = { ...renewal(request, 90_000), maximumSessionMilliseconds: 70_000 };
      const renewed = expectOutcome(await store.renew(longest), 'renewed');
      expect(renewed.expiresAt.getTime()).toBe(startedAt.getTime() + 70_000);
      expect(renewed.expiresAt.getTime()).toBeGreaterThan(expiresAt.getTime());
      const shorter = expectOutcome(await store.renew({ ...longest, maximumSessionMilliseconds: 30_000 }), 'renewed');
      expect(shorter.expiresAt).toEqual(renewed.expiresAt);
    });

    it('does not change the order of starts or other sessions', async () => {
      const store = storeOn(client);
      const first = newRequest({ lifetimeMilliseconds: 60_000 });
      const second = another(first, { lifetimeMilliseconds: 600_000 });
      await store.reserve(first);
      expectOutcome(await store.reserve(second), 'reserved');
      expectOutcome(await store.renew(renewal(first, 90_000)), 'renewed');
      expect(await activeIds(store, first)).toEqual([first.sessionId, second.sessionId]);
      expect(await subjectState(client, first)).toEqual(slotsOf(first.sessionId, second.sessionId));
    });

    it('is refused for a session that is unknown, released, terminated or expired, and changes nothing', async () => {
      const store = storeOn(client);
      const unknown = newRequest();
      const [released, terminated, expired] = [newRequest(), newRequest(), newRequest({ lifetimeMilliseconds: 1 })];
      await store.reserve(released);
      await store.release(ended(released));
      await store.reserve(terminated);
      await store.release({ ...terminated, reason: 'terminated' });
      const { expiresAt } = expectOutcome(await store.reserve(expired), 'reserved');
      await untilRedisTime(client, expiresAt);
      const refused = { unknown, released, terminated, expired };
      for (const [outcome, request] of Object.entries(refused)) {
        const before = await recordOf(client, request);
        expect(await store.renew(renewal(request, 60_000))).toEqual({ outcome });
        expect(await recordOf(client, request)).toEqual(before);
      }
    });

    it('is refused under the reservation id of another reservation', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      expect(await store.renew(renewal(again(request), 60_000))).toEqual({ outcome: 'other_reservation' });
    });

    it('is limited per clock minute, and a refusal changes nothing', async () => {
      const store = storeOn(client);
      const request = newRequest({ lifetimeMilliseconds: 60_000 });
      await store.reserve(request);
      // The test must not cross the end of a minute.
      const minuteEnds = 60_000 - ((await redisTime(client)) % 60_000);
      if (minuteEnds < 2_000) await untilRedisTime(client, new Date((await redisTime(client)) + minuteEnds));
      const limited = { ...renewal(request, 90_000), callsPerMinute: 2 };
      expectOutcome(await store.renew(limited), 'renewed');
      expectOutcome(await store.renew(limited), 'renewed');
      const before = await recordOf(client, request);
      const { retryAfterSeconds } = expectOutcome(await store.renew(limited), 'rate_limited');
      const left = (60_000 - ((await redisTime(client)) % 60_000)) / 1000;
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(left);
      expect(retryAfterSeconds).toBeLessThan(left + 2);
      expect(await recordOf(client, request)).toEqual(before);
      expectOutcome(await store.countLicenseRequest(limited), 'counted');
      // As if the minute had passed.
      await addToRecord(client, request, 'minute', -1);
      expectOutcome(await store.renew(limited), 'renewed');
      expectOutcome(await store.renew(limited), 'renewed');
      expectOutcome(await store.renew(limited), 'rate_limited');
    });

    it.each([0, 1.5])('rejects a duration or number of calls of %p', async (value) => {
      const call = renewal(newRequest(), 60_000);
      const changes = [
        { lifetimeMilliseconds: value },
        { maximumSessionMilliseconds: value },
        { callsPerMinute: value },
      ];
      for (const change of changes) {
        await expect(storeOn(client).renew({ ...call, ...change })).rejects.toThrow(RangeError);
      }
    });
  });

  describe('with a heartbeat', () => {
    it('a dead player loses its slot, and one that renews keeps it', async () => {
      const store = storeOn(client);
      const lifetimeMilliseconds = 1000;
      const dead = newRequest({ limit: 2, lifetimeMilliseconds });
      const alive = another(dead);
      const [first, second] = [another(dead), another(dead)];
      const { expiresAt } = expectOutcome(await store.reserve(dead), 'reserved');
      await store.reserve(alive);
      expectOutcome(await store.reserve(first), 'limit_reached');
      for (let beat = 1; beat <= 6; beat += 1) {
        await untilRedisTime(client, new Date(expiresAt.getTime() - lifetimeMilliseconds + beat * 300));
        expectOutcome(await store.renew(renewal(alive, lifetimeMilliseconds)), 'renewed');
      }
      // Long after the initial lifetime of both.
      expect(await activeIds(store, dead)).toEqual([alive.sessionId]);
      const last = expectOutcome(await store.renew(renewal(alive, lifetimeMilliseconds)), 'renewed');
      expectOutcome(await store.reserve({ ...first, lifetimeMilliseconds: 60_000 }), 'reserved');
      expectOutcome(await store.reserve(second), 'limit_reached');
      await untilRedisTime(client, last.expiresAt);
      expectOutcome(await store.reserve(second), 'reserved');
      expect(await store.renew(renewal(alive, lifetimeMilliseconds))).toEqual({ outcome: 'expired' });
    });
  });
});
