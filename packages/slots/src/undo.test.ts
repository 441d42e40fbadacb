import { slotKeys } from './keys';
import {
  again,
  another,
  describeOnEveryRedis,
  ended,
  endedMember,
  expectOutcome,
  formerBuckets,
  formerRequest,
  keysOf,
  neighbourOf,
  newRequest,
  redisTime,
  rememberedUntil,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

describeOnEveryRedis((client) => {
  describe('undoing a reservation', () => {
    it('frees the slot and forgets the id', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      await store.undo(request);
      expect(await subjectState(client, request)).toEqual(slotsOf());
      expectOutcome(await store.reserve(again(request, { requestHash: 'another' })), 'reserved');
    });

    it('finds the reservation where it was made, even if the hash key has changed since', async () => {
      const store = storeOn(client);
      const request = formerRequest();
      const { slots } = slotKeys(formerBuckets, request.environmentId, request.subject);
      expectOutcome(await store.reserve(request), 'reserved');
      expect(await client.exists(slots)).toBe(1);
      expect(await store.undo(request)).toBe('undone');
      expect(await client.exists(slots)).toBe(0);
    });

    it('does not affect other slots', async () => {
      const store = storeOn(client);
      const first = newRequest({ lifetimeMilliseconds: 60_000 });
      const second = another(first, { lifetimeMilliseconds: 600_000 });
      expectOutcome(await store.reserve(first), 'reserved');
      await store.reserve(second);
      await store.undo(second);
      expect(await subjectState(client, first)).toEqual(slotsOf(first.sessionId));
    });

    it('does nothing for the reservation id of another reservation', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      await store.undo(again(request));
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
    });

    it('keeps a reservation that a repeat got in the meantime', async () => {
      const store = storeOn(client);
      const request = newRequest({ limit: 1 });
      await store.reserve(request);
      expectOutcome(await store.reserve(again(request)), 'repeated');
      await store.undo(request);
      expectOutcome(await store.reserve(another(request)), 'limit_reached');
      expect(await store.release(ended(request))).toBe('released');
    });

    it('undoes a reservation whose call the client library sent twice', async () => {
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

    it('keeps an unknown id available for other reservations', async () => {
      const store = storeOn(client);
      const request = newRequest();
      expect(await store.undo(request)).toBe('unchanged');
      expect(await store.find(request)).toMatchObject({ state: 'unknown' });
      expectOutcome(await store.reserve(again(request)), 'reserved');
    });
  });

  describe('a reservation that arrives after it was undone', () => {
    it('takes no slot, and its session can be reserved again', async () => {
      const store = storeOn(client);
      const late = newRequest({ limit: 1 });
      await store.undo(late);
      expect(await store.reserve(late)).toEqual({ outcome: 'session_id_reused', byAnotherRequest: false });
      expect(await subjectState(client, late)).toEqual(slotsOf());
      const retry = again(late);
      const { reservationId } = expectOutcome(await store.reserve(retry), 'reserved');
      expect(reservationId).toBe(retry.reservationId);
    });

    it('is not a repeat of an earlier one, which can still be undone', async () => {
      const store = storeOn(client);
      const late = newRequest({ limit: 1 });
      const first = again(late);
      expectOutcome(await store.reserve(first), 'reserved');
      expect(await store.undo(late)).toBe('unchanged');
      expectOutcome(await store.reserve(late), 'session_id_reused');
      expect(await store.undo(first)).toBe('undone');
      expectOutcome(await store.reserve(late), 'session_id_reused');
      expect(await subjectState(client, late)).toEqual(slotsOf());
    });

    it('does not affect the same session id under another subject', async () => {
      const store = storeOn(client);
      const late = newRequest();
      await store.undo(late);
      expectOutcome(await store.reserve({ ...late, subject: neighbourOf(late) }), 'reserved');
      expectOutcome(await store.reserve(another(late, { reservationId: late.reservationId })), 'reserved');
    });

    it('is undone if it arrives between the two scripts', async () => {
      const store = storeOn(client);
      const late = newRequest({ limit: 1 });
      const note = client.noteUndoneSlot.bind(client);
      const noting = jest.spyOn(client, 'noteUndoneSlot').mockImplementationOnce(async (...call) => {
        expectOutcome(await store.reserve(late), 'reserved');
        return note(...call);
      });
      expect(await store.undo(late)).toBe('undone');
      noting.mockRestore();
      expect(await subjectState(client, late)).toEqual(slotsOf());
      expect(await rememberedUntil(client, late, late.reservationId)).toBeNull();
    });

    it('is remembered for a quarter of an hour in a few bytes, and removed after it is forgotten', async () => {
      const store = storeOn(client);
      const first = newRequest({ sessionId: 'x'.repeat(128), subject: 'ü'.repeat(256) });
      const key = keysOf(first).ended;
      const past = Array.from({ length: 30 }, (_, index) => ['1', `past-${index}`]).flat();
      await client.zadd(key, ...past);
      const before = await redisTime(client);
      for (let call = 0; call < 3; call += 1) await store.undo(again(first));
      await store.undo(first);
      const after = await redisTime(client);
      expect(await client.zcount(key, '-inf', '1')).toBe(0);
      const forgottenAt = await rememberedUntil(client, first, first.reservationId);
      expect(forgottenAt).toBeGreaterThanOrEqual(before + 900_000);
      expect(forgottenAt).toBeLessThan(after + 901_000);
      expect(await client.pexpiretime(key)).toBeGreaterThanOrEqual(forgottenAt ?? Number.NaN);
    });

    it('takes its slot once it is forgotten', async () => {
      const store = storeOn(client);
      const late = newRequest();
      await store.undo(late);
      const past = Math.floor((await redisTime(client)) / 1000) * 2 ** 21 + 1;
      await client.zadd(keysOf(late).ended, 'XX', past, endedMember(late, late.reservationId));
      expectOutcome(await store.reserve(late), 'reserved');
    });
  });
});
