import { activeSessionsKey, bucketHashTag } from '@multi-drm/contracts';
import { startRedis } from '@multi-drm/test-kit';
import { type KnownSession, Ledger } from '@multi-drm/test-kit/load/ledger';
import { Redis } from 'ioredis';
import { noteLoss, viewersBeyondLimit } from './failover-loss';

const environmentId = 'environment';

const session = (sessionId: string, state: KnownSession['state']): KnownSession => ({
  sessionId,
  subject: 'viewer',
  token: '',
  releasePath: '',
  licensePath: '',
  expiresAt: Date.now() + 600_000,
  startedAt: 2_000,
  ...(state === 'released' ? { releasedAt: 3_000 } : {}),
  state,
});

test('sessions without a slot are lost starts, and released ones with a slot are lost releases', async () => {
  const server = await startRedis();
  const replica = new Redis(server.url);
  const key = activeSessionsKey(bucketHashTag(7), environmentId);
  for (const id of ['kept', 'released-again-active']) await replica.zadd(key, Date.now() + 600_000, `${id}:viewer`);
  const ledger = new Ledger(2);
  for (const known of [
    session('kept', 'active'),
    session('vanished', 'active'),
    session('refused-release', 'unknown'),
    session('released', 'released'),
    session('released-again-active', 'released'),
  ]) {
    ledger.sessions.set(known.sessionId, known);
  }
  expect(await noteLoss(ledger, [replica], environmentId, 1_000)).toEqual({
    starts: 2,
    releases: 1,
    first: 2_000,
    last: 3_000,
  });
  expect([...ledger.sessions.values()].map(({ state }) => state)).toEqual([
    'active',
    'start lost',
    'start lost',
    'released',
    'release lost',
  ]);
  // One session has a slot, and two more may still be watched.
  expect(viewersBeyondLimit(ledger)).toBe(1);
  await server.stop();
});
