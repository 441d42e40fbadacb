import { randomUUID } from 'node:crypto';
import { EventBuffer, readSlotEvent, UnreadEvents } from '@multi-drm/slots';
import { buckets, newRequest, storeOn } from '@multi-drm/slots/testing';
import { startRedis } from '@multi-drm/test-kit';
import { recordingLogger } from '../testing/recording-logger';
import { connectToRedis } from '../testing/redis';
import { SessionSlots } from './session-slots';

test('the end of a session that the control plane terminates is reported as playback would', async () => {
  const server = await startRedis();
  const redis = await connectToRedis({ REDIS_URL: server.url });
  // As a running playback does.
  await new EventBuffer(redis, 2 ** 20).measure(0, []);
  const { environmentId, subject, sessionId, ...request } = newRequest();
  await storeOn(redis).reserve({ environmentId, subject, sessionId, ...request });
  const slots = new SessionSlots({
    redis,
    buckets: async () => buckets,
    organizationOf: async () => ({ organizationId: randomUUID(), maximumConcurrentStreams: null }),
    sessionIdRetentionSeconds: 86_400,
    logger: recordingLogger([]),
    processNow: () => performance.timeOrigin + performance.now(),
  });
  await slots.terminate({ environmentId, subject, sessionId, reservationId: null });
  const unread = new UnreadEvents(redis);
  const lists = [...(await unread.lengths()).keys()];
  const events = (await Promise.all(lists.map((list) => unread.read(list, 100)))).flat().map(readSlotEvent);
  redis.disconnect();
  await server.stop();
  expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'terminated', environmentId, subject, sessionId });
});
