import {
  again,
  another,
  connect,
  ended,
  expectOutcome,
  keysOf,
  newRequest,
  redisKinds,
  slotsOf,
  storeOn,
  subjectState,
  type TestClient,
  untilRedisTime,
} from './testing/test-store';

describe.each(redisKinds)('on %s', (kind) => {
  let client: TestClient;
  beforeAll(() => {
    client = connect(kind);
  });
  afterAll(() => client.quit());

  describe('undoing a reservation', () => {
    it('frees the slot and forgets the id', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      await store.undo(request);
      expect(await client.exists(keysOf(request).record)).toBe(0);
      expect(await subjectState(client, request)).toEqual(slotsOf([], null));
      expectOutcome(await store.reserve(again(request, { requestHash: 'another' })), 'reserved');
    });

    it('leaves the other slots as they are, and lets the keys go away with the last of them', async () => {
      const store = storeOn(client);
      const first = newRequest({ lifetimeMilliseconds: 60_000 });
      const second = another(first, { lifetimeMilliseconds: 600_000 });
      const { expiresAt } = expectOutcome(await store.reserve(first), 'reserved');
      await store.reserve(second);
      await store.undo(second);
      expect(await subjectState(client, first)).toEqual(slotsOf([first.sessionId], expiresAt));
    });

    it('does nothing for the reservation id of another reservation', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      await store.undo(again(request));
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
    });

    it('leaves a reservation that a repeat was given meanwhile', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      expectOutcome(await store.reserve(again(request)), 'repeated');
      await store.undo(request);
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
      expect(await store.release(ended(request))).toBe('released');
    });

    it('takes back a reservation whose call the client library sent twice', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      await store.reserve(request);
      await store.undo(request);
      expectOutcome(await store.reserve(another(request)), 'reserved');
    });

    it('does nothing for a released session, whose id stays remembered', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.reserve(request);
      await store.release(ended(request));
      await store.undo(request);
      expectOutcome(await store.reserve(again(request)), 'session_id_reused');
    });

    it('does nothing for an expired session, whose id stays remembered', async () => {
      const store = storeOn(client);
      const request = newRequest({ lifetimeMilliseconds: 20 });
      const { expiresAt } = expectOutcome(await store.reserve(request), 'reserved');
      await untilRedisTime(client, expiresAt);
      await store.undo(request);
      expectOutcome(await store.reserve(again(request)), 'session_id_reused');
    });

    it('does nothing for an unknown id', async () => {
      const store = storeOn(client);
      const request = newRequest();
      await store.undo(request);
      expectOutcome(await store.reserve(request), 'reserved');
    });
  });
});
