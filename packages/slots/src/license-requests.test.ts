import type { ReserveRequest } from './slot-store';
import {
  addToRecord,
  again,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  newRequest,
  recordOf,
  redisTime,
  storeOn,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('counting the license requests of a session', () => {
    const call = (request: ReserveRequest, callsPerMinute: number | null = null) => ({ ...request, callsPerMinute });

    it('counts each of them and does not change expiresAt', async () => {
      const store = storeOn(client);
      const request = newRequest();
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      const counts = await Promise.all(Array.from({ length: 20 }, () => store.countLicenseRequest(call(request))));
      const numbers = counts.map((each) => expectOutcome(each, 'counted').licenseRequests);
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
      expect(counts[0]).toMatchObject({ expiresAt, serverTime: expect.any(Date), grant: request.grant });
      const { sessions } = await store.listSubject(request.environmentId, request.subject, { limit: 1 });
      expect(sessions).toMatchObject([{ licenseRequests: 20, expiresAt }]);
    });

    it('is refused for an inactive session or another reservation, and counts nothing', async () => {
      const store = storeOn(client);
      const [unknown, released, terminated] = [newRequest(), newRequest(), newRequest()];
      await store.reserve(released);
      await store.release(ended(released));
      await store.reserve(terminated);
      await store.release({ ...terminated, reason: 'terminated' });
      const expired = newRequest({ lifetimeMilliseconds: 1 });
      const { expiresAt } = expectOutcome(await store.reserve(expired), 'reserved');
      await untilRedisTime(client, expiresAt);
      const other_reservation = newRequest();
      await store.reserve(again(other_reservation));
      const refused = { unknown, released, terminated, expired, other_reservation };
      for (const [outcome, request] of Object.entries(refused)) {
        const before = await recordOf(client, request);
        expect(await store.countLicenseRequest(call(request))).toEqual({ outcome });
        expect(await recordOf(client, request)).toBe(before);
      }
    });

    it('is limited per clock minute, separately from renewals; a refused one is not counted', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      // The test must not cross the end of a minute.
      const minuteEnds = 60_000 - ((await redisTime(client)) % 60_000);
      if (minuteEnds < 2_000) await untilRedisTime(client, new Date((await redisTime(client)) + minuteEnds));
      for (const licenseRequests of [1, 2, 3]) {
        expect(await store.countLicenseRequest(call(request, 3))).toMatchObject({
          outcome: 'counted',
          licenseRequests,
        });
      }
      const { retryAfterSeconds } = expectOutcome(await store.countLicenseRequest(call(request, 3)), 'rate_limited');
      const left = (60_000 - ((await redisTime(client)) % 60_000)) / 1000;
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(left);
      expect(retryAfterSeconds).toBeLessThan(left + 2);
      expectOutcome(await store.renew({ ...call(request, 3), maximumSessionMilliseconds: 86_400_000 }), 'renewed');
      // As if the minute had passed.
      await addToRecord(client, request, 'minute', -1);
      expect(await store.countLicenseRequest(call(request, 3))).toMatchObject({
        outcome: 'counted',
        licenseRequests: 4,
      });
    });

    it('is limited only for an active session', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      await store.countLicenseRequest(call(request));
      await store.release(ended(request));
      expect(await store.countLicenseRequest(call(request, 1))).toEqual({ outcome: 'released' });
    });
  });
});
