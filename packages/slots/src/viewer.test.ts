import type { ReserveRequest } from './slot-store';
import {
  activeIds,
  again,
  another,
  describeOnEveryRedis,
  ended,
  expectOutcome,
  newRequest,
  publishViewer,
  recordOf,
  reserveMany,
  storeOn,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('the published document of a viewer', () => {
    const call = (request: ReserveRequest) => ({
      ...request,
      maximumSessionMilliseconds: 86_400_000,
      callsPerMinute: null,
    });

    it('that blocks it causes every call except a release to be refused, repeats included, until it is active again', async () => {
      const store = storeOn(client);
      const [request] = await reserveMany(store, 1);
      await publishViewer(client, request, { status: 'blocked', maximumConcurrentStreams: 5 });
      const before = await recordOf(client, request);
      const blocked = { outcome: 'subject_blocked' };
      const next = another(request, { replacesSessionId: request.sessionId });
      expect(await store.reserve(next)).toEqual(blocked);
      expect(await store.reserve(again(request))).toEqual(blocked);
      expect(await store.renew(call(request))).toEqual(blocked);
      expect(await store.countLicenseRequest(call(request))).toEqual(blocked);
      expect(await recordOf(client, request)).toEqual(before);
      expect(await activeIds(store, request)).toEqual([request.sessionId]);
      await publishViewer(client, request, { status: 'active', maximumConcurrentStreams: null });
      expectOutcome(await store.reserve(again(request)), 'repeated');
      expectOutcome(await store.renew(call(request)), 'renewed');
      expectOutcome(await store.countLicenseRequest(call(request)), 'counted');
      await publishViewer(client, request, { status: 'blocked', maximumConcurrentStreams: null });
      expect(await store.release(ended(request))).toBe('released');
    });

    it('has no effect after it was removed', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 7 });
      await publishViewer(client, request, null);
      expect(await store.reserve(request)).toMatchObject({ outcome: 'reserved', limit: 7 });
      expectOutcome(await store.renew(call(request)), 'renewed');
      expectOutcome(await store.countLicenseRequest(call(request)), 'counted');
    });

    it.each<[own: number | null, asked: number | null, ceiling: number | null, decided: number | null]>([
      [null, null, null, null],
      [null, 3, null, 3],
      [2, 3, null, 2],
      [4, 3, null, 4],
      [2, null, null, 2],
      [4, 3, 2, 2],
      [null, 3, 2, 2],
      [null, null, 2, 2],
      [1, 3, 2, 1],
      [2 ** 52, 1, null, 100],
    ])(
      'with the limit %p, a requested limit of %p and a ceiling of %p give the limit %p',
      async (own, limit, ceiling, decided) => {
        const store = storeOn(client);
        const request = newRequest({ limit, limitCeiling: ceiling });
        await publishViewer(client, request, { status: 'active', maximumConcurrentStreams: own });
        expect(await store.reserve(request)).toMatchObject({ outcome: 'reserved', limit: decided });
        expect(await store.reserve(again(request, { limit: 9, limitCeiling: null }))).toMatchObject({ limit: decided });
        expect(await store.renew(call(request))).toMatchObject({ outcome: 'renewed', limit: decided });
        expect(await store.find(request)).toMatchObject({ state: 'reserved', limit: decided });
      },
    );

    it("with its own limit determines the viewer's limit", async () => {
      const store = storeOn(client);
      const [first] = await reserveMany(store, 2, { limit: 5 });
      await publishViewer(client, first, { status: 'active', maximumConcurrentStreams: 2 });
      expect(await store.reserve(another(first))).toMatchObject({ outcome: 'limit_reached', limit: 2 });
    });
  });
});
