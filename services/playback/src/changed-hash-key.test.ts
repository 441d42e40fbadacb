import { publishedKeys, SubjectBuckets } from '@multi-drm/contracts';
import { HashKeySeal } from '@multi-drm/service-kit';
import { slotKeys } from '@multi-drm/slots';
import { buckets } from '@multi-drm/slots/testing';
import supertest, { type Test } from 'supertest';
import {
  type Playback,
  type Session,
  sessionRequest,
  startPlaybackOnOwnRedis,
  testHashKeySeal,
} from './testing/playback';
import { publishBackend } from './testing/published-backend';
import { deployment, makeTenant, type PublishedTenant, publish } from './testing/published-tenant';

// The deployment's document has another key of the viewers' buckets, or none.

const otherKey = Buffer.alloc(32, 'another hash key').toString('base64url');
const otherBuckets = new SubjectBuckets(otherKey);

/** A Redis of its own, because the deployment's document covers everything in it. */
let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlaybackOnOwnRedis();
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
});

const subject = 'viewer-1';
const create = () => playback.create(tenant, sessionRequest({ subject }));
const start = async (): Promise<Session> => (await create().expect(200)).body;
const license = (session: Session) => playback.license(session, Buffer.from([8, 4]));
const list = () => playback.asClient(tenant, 'get', '/sessions');

async function expectUnavailable(call: Test): Promise<void> {
  const { body } = await call.expect(503);
  expect(body.code).toBe('service_unavailable');
}

/** Publishes everything with the other key, as the control plane does. */
async function publishWithOtherKey(): Promise<void> {
  const next = { ...deployment, generation: 'next', subjectHashKey: otherKey };
  await publish(playback.redis, publishedKeys.deployment, next);
  const { projectId } = tenant.environment;
  await publish(playback.redis, publishedKeys.project(projectId), { projectId, generation: 'next' });
}

/** Publishes the viewer as blocked under the names of these buckets. */
async function block(in_: SubjectBuckets): Promise<void> {
  const { environmentId } = tenant.environment;
  const document = { userId: environmentId, environmentId, status: 'blocked', maximumConcurrentStreams: null };
  const key = publishedKeys.endUser(environmentId, in_.hashOf(environmentId, subject));
  await publish(playback.redis, key, document);
}

test.each([undefined, 'too-short'])(
  'with the key %j, nothing is used, and nobody learns it',
  async (subjectHashKey) => {
    const session = await start();
    await playback.asPlayer(session, 'renew').expect(200);
    await publish(playback.redis, publishedKeys.deployment, { ...deployment, subjectHashKey });
    const calls = [create(), list(), license(session), playback.asPlayer(session, 'renew')];
    for (const call of calls) await expectUnavailable(call);
    const { text } = await supertest(playback.app).get('/api/v1/health/ready').expect(503);
    expect(JSON.parse(text).checks.published.status).toBe('down');
    expect(text + JSON.stringify(playback.logged)).not.toContain('too-short');
    // Under the names of the last valid key.
    await playback.asPlayer(session, 'release').expect(204);
    await playback.publish(tenant);
    expect((await playback.asPlayer(session, 'renew').expect(403)).body.code).toBe('session_released');
  },
);

test('a viewer that is blocked under the names of another key does not play', async () => {
  await start();
  await publishWithOtherKey();
  await block(otherBuckets);
  expect((await create().expect(403)).body.code).toBe('subject_blocked');
});

test('a session under former names does not go on if its viewer is blocked under the current ones', async () => {
  const session = await start();
  await publishWithOtherKey();
  await block(otherBuckets);
  expect((await playback.asPlayer(session, 'renew').expect(404)).body.code).toBe('session_not_found');
  expect((await license(session).expect(404)).body.code).toBe('session_not_found');
});

test('a session under former names comes back by its token, and holds the only slot', async () => {
  const session = await start();
  await publishWithOtherKey();
  expect((await list().expect(200)).body.items).toEqual([]);
  await playback.asPlayer(session, 'renew').expect(200);
  expect((await list().expect(200)).body.items).toMatchObject([{ sessionId: session.sessionId }]);
  expect((await create().expect(429)).body.code).toBe('concurrent_stream_limit_reached');
});

test.each(['next', deployment.generation])(
  'a key that changed unnoticed is found after the reservation, in the generation %j',
  async (generation) => {
    await start();
    const { environmentId } = tenant.environment;
    await playback.redis.del(slotKeys(buckets, environmentId, subject).slots);
    // Without a message.
    const changed = JSON.stringify({ ...deployment, generation, subjectHashKey: otherKey });
    await playback.redis.hset(publishedKeys.deployment, 'document', changed);
    await expectUnavailable(create());
    for (const each of [buckets, otherBuckets]) {
      expect(await playback.redis.exists(slotKeys(each, environmentId, subject).slots)).toBe(0);
    }
  },
);

test('a key that is published encrypted is the same key, and with other SECRET_KEYS nothing is used', async () => {
  const session = await start();
  const publishSealed = (seal: HashKeySeal) =>
    publish(playback.redis, publishedKeys.deployment, {
      ...deployment,
      subjectHashKey: seal.seal(deployment.subjectHashKey),
    });
  await publishSealed(testHashKeySeal);
  await playback.asPlayer(session, 'renew').expect(200);
  await publishSealed(new HashKeySeal([{ id: 'other', key: Buffer.alloc(32, 9) }]));
  await expectUnavailable(create());
});
