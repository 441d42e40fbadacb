import type { SlotStore } from '../../slots/slot-store';
import { connect, expectOutcome, newRequest, storeOn } from '../../slots/testing/test-store';
import { releaseOrRemember } from './release-or-remember';

const client = connect();
afterAll(() => client.disconnect());

const refuseAsFull = () => client.eval("return redis.error_reply('OOM full')", 0) as Promise<never>;

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
  const apiClientLimiter = { take: () => undefined };
  const parts = { slots, apiClientLimiter, tokens: { backdateSeconds: 0 } };
  await releaseOrRemember(parts, { session: request, token: null }, 'client', 'terminated');
  expect((await store.find(request)).state).toBe('terminated');
});
