import { publishedKeys } from '@multi-drm/contracts';
import { PendingDocuments } from '../../publishing/pending-documents';
import { readSubjectBuckets } from '../../publishing/subject-hash-key';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { publishingStore } from '../../testing/publishing-store';
import { recordingLogger } from '../../testing/recording-logger';
import { bearer, createTenant, type TestTenant } from '../../testing/records';
import { connectToRedis } from '../../testing/redis';

// The block of a viewer that was erased while it was blocked.

const subject = 'ada@example.com';
let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

async function synchronize(body: object): Promise<{ userId: string; status: string }> {
  const url = `/api/v1/management/projects/${tenant.projectId}/users`;
  return (
    await controlPlane.api
      .post(url)
      .set(bearer(tenant.key))
      .send({ subject, ...body })
      .expect(200)
  ).body;
}
const user = (method: 'delete' | 'patch', userId: string) =>
  controlPlane.api[method](`/api/v1/management/users/${userId}`).set({ ...bearer(tenant.key), 'If-Match': '*' });
const erase = (userId: string) => user('delete', userId).expect(204);

test('a viewer that was erased while it was blocked is blocked when it is synchronized again', async () => {
  await erase((await synchronize({ status: 'blocked' })).userId);
  const again = await synchronize({ displayName: 'Ada' });
  expect(again.status).toBe('blocked');
});

test('a synchronization as active does not end a kept block, a later change of the new record does', async () => {
  await erase((await synchronize({ status: 'blocked' })).userId);
  const { userId, status } = await synchronize({ status: 'active' });
  expect(status).toBe('blocked');
  await user('patch', userId).send({ status: 'active' }).expect(200);
  await erase(userId);
  expect((await synchronize({})).status).toBe('active');
});

test('a block is kept through several erasures', async () => {
  await erase((await synchronize({ status: 'blocked' })).userId);
  await erase((await synchronize({})).userId);
  expect((await synchronize({})).status).toBe('blocked');
});

test('of simultaneous synchronizations, one creates the viewer, and it is blocked', async () => {
  await erase((await synchronize({ status: 'blocked' })).userId);
  const answers = await Promise.all([1, 2, 3].map(() => synchronize({})));
  expect(new Set(answers.map(({ userId }) => userId)).size).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual(['blocked', 'blocked', 'blocked']);
});

test('a viewer that was erased while it was active is not blocked', async () => {
  await erase((await synchronize({ maximumConcurrentStreams: 1 })).userId);
  expect((await synchronize({})).status).toBe('active');
});

test('a kept block holds in its own project only', async () => {
  await erase((await synchronize({ status: 'blocked' })).userId);
  tenant = await createTenant(controlPlane);
  expect((await synchronize({})).status).toBe('active');
});

test('nothing that is kept of a block names the viewer', async () => {
  const { userId } = await synchronize({ status: 'blocked' });
  await erase(userId);
  const kept = await controlPlane.prisma.erasedBlock.findUniqueOrThrow({ where: { endUserId: userId } });
  const buckets = await readSubjectBuckets(controlPlane.prisma);
  expect(JSON.stringify(kept)).not.toContain(subject);
  expect(kept).toMatchObject({ subjectHash: buckets.hashOf(tenant.projectId, subject) });
});

test('playback finds the block under the names of the viewer while it is erased, and when it is synchronized again', async () => {
  const { prisma } = controlPlane;
  const redis = await connectToRedis();
  const store = publishingStore(redis);
  const write = jest.fn(store.write);
  const pending = new PendingDocuments({
    prisma,
    ...store,
    write,
    logger: recordingLogger([]),
    now: () => new Date(),
    random: () => 0,
  });
  const buckets = await readSubjectBuckets(prisma);
  const names = [tenant.development, tenant.production].map((id) =>
    publishedKeys.endUser(id, buckets.hashOf(id, subject)),
  );
  const read = () => Promise.all(names.map(async (name) => JSON.parse((await redis.hget(name, 'document')) || '{}')));
  const blockedUser = (userId: string) => ({ userId, status: 'blocked' });

  const first = await synchronize({ status: 'blocked' });
  await erase(first.userId);
  await pending.publish();
  expect(await read()).toMatchObject([blockedUser(first.userId), blockedUser(first.userId)]);
  const again = await synchronize({});
  await pending.publish();
  expect(await read()).toMatchObject([blockedUser(again.userId), blockedUser(again.userId)]);
  expect(write.mock.calls.filter(([{ document }]) => document === '')).toEqual([]);
  redis.disconnect();
});
