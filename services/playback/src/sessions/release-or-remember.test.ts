import type { SlotStore } from '@multi-drm/slots';
import { connect, expectOutcome, newRequest, storeOn } from '@multi-drm/slots/testing';
import type { LicenseToken } from '../tokens/license-token';
import { releaseOrRemember } from './release-or-remember';

const client = connect();
afterAll(() => client.disconnect());

const refuseAsFull = () => client.eval("return redis.error_reply('OOM full')", 0) as Promise<never>;

const others = { unknownReleaseLimiter: { take: () => undefined }, tokens: { backdateSeconds: 0 } };

test.each<[string, (remember: () => Promise<'remembered' | 'known'>) => Promise<'remembered' | 'known'>]>([
  ['remembers ids', (remember) => remember()],
  ['is full', refuseAsFull],
])('a session created between the two steps of its release is released if Redis %s', async (_how, end) => {
  const store = storeOn(client);
  const request = newRequest();
  const slots: Pick<SlotStore, 'release' | 'remember'> = {
    release: (session) => store.release(session),
    remember: async (session, until) => {
      expectOutcome(await store.reserve(request), 'reserved');
      return end(() => store.remember(session, until));
    },
  };
  await releaseOrRemember({ slots, ...others }, request, null, 'client', 'terminated');
  expect((await store.find(request)).state).toBe('terminated');
});

describe('the release of an unknown id on a full Redis', () => {
  const session = newRequest();
  const slots = { release: async () => 'unknown' as const, remember: refuseAsFull };

  test('is refused for a backend, because the session may still play', async () => {
    await expect(releaseOrRemember({ slots, ...others }, session, null, 'client', 'terminated')).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'Retry-After': expect.any(String) },
    });
  });

  test('succeeds for a player', async () => {
    const token = { ...session, reservationId: 'reservation', notBefore: new Date() } as unknown as LicenseToken;
    await expect(releaseOrRemember({ slots, ...others }, session, token, null, 'ended')).resolves.toBeUndefined();
  });
});
