import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { buckets } from '@multi-drm/slots/testing';
import supertest, { type Test } from 'supertest';
import { type Playback, sessionRequest, startPlaybackOnOwnRedis } from './testing/playback';
import { publishBackend } from './testing/published-backend';
import { deployment, makeTenant, type PublishedTenant, publish, publishViewer } from './testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlaybackOnOwnRedis();
});
beforeEach(async () => {
  jest.restoreAllMocks();
  tenant = makeTenant();
  tenant.client.permissions.push('sessions:evaluate');
  await publishAll();
});

/** Publishes everything; the change messages clear the service's cache. */
async function publishAll(): Promise<void> {
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: 'MAA=' });
}

/** Empties Redis just before the first read of the document: reads before that still succeed. */
function emptyBeforeReading(key: string): () => boolean {
  const { redis } = playback;
  const read = redis.hget.bind(redis);
  let emptied = false;
  jest.spyOn(redis, 'hget').mockImplementation((asked, field) => {
    if (asked === key && !emptied) {
      emptied = true;
      void redis.flushall();
    }
    return read(asked, field);
  });
  return () => emptied;
}

const create = (overrides: object = {}) => playback.create(tenant, sessionRequest(overrides));
const evaluate = () => playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest({ subject }));
const subject = 'viewer-1';
const keys = {
  client: () => publishedKeys.apiClient(tenant.client.clientId),
  environment: () => publishedKeys.environment(tenant.environment.environmentId),
  organization: () => publishedKeys.organization(tenant.organization.organizationId),
  content: () => publishedKeys.content(tenant.environment.environmentId, tenant.content.contentId),
  profile: () => publishedKeys.licenseProfile(tenant.environment.projectId, 'evening'),
  viewer: () => {
    const { environmentId } = tenant.environment;
    return publishedKeys.endUser(environmentId, buckets.hashOf(environmentId, subject));
  },
  backend: (drmSystem: string) => publishedKeys.licenseBackend(tenant.environment.environmentId, drmSystem),
};

async function expectUnavailable(call: Test): Promise<void> {
  const { body, status, headers } = await call;
  expect({ status, ...body }).toMatchObject({ status: 503, code: 'service_unavailable', retryable: true });
  expect(headers['retry-after']).toBe('1');
}

describe('Redis that is emptied between two reads of one request, and stays empty', () => {
  test.each<[string, () => string, () => Test]>([
    ['a create', keys.client, create],
    ['a create', keys.environment, create],
    ['a create', keys.organization, create],
    ['a create', keys.content, create],
    ['a create', keys.profile, () => create({ licensePolicyTemplate: 'evening', useEnvironmentDefaults: false })],
    ['an evaluation', keys.client, evaluate],
    ['an evaluation', keys.content, evaluate],
    ['an evaluation', keys.viewer, evaluate],
  ])('%s that misses one document returns 503 (%#)', async (_call, key, call) => {
    const isEmptied = emptyBeforeReading(key());
    await expectUnavailable(call());
    expect(isEmptied()).toBe(true);
  });

  test.each([
    ['environment', keys.environment],
    ['license backend', () => keys.backend('fairplay')],
  ])('the FairPlay certificate is not reported as missing if the %s cannot be read', async (_document, key) => {
    const { environmentId } = tenant.environment;
    emptyBeforeReading(key());
    await expectUnavailable(
      supertest(playback.app).get(`/api/v1/playback/environments/${environmentId}/certificates/fairplay`),
    );
  });

  test.each([
    ['environment', keys.environment],
    ['organization', keys.organization],
    ['content', keys.content],
  ])('neither a renewal nor a license is refused if the %s cannot be read', async (_document, key) => {
    const { body: session } = await create().expect(200);
    await publishAll();
    emptyBeforeReading(key());
    await expectUnavailable(playback.asPlayer(session, 'renew'));
    jest.restoreAllMocks();
    await publishAll();
    const { body: other } = await create().expect(200);
    await publishAll();
    emptyBeforeReading(key());
    await expectUnavailable(playback.license(other, Buffer.from('challenge')));
  });

  test('no license is refused if its backend cannot be read', async () => {
    const { body: session } = await create().expect(200);
    await publishAll();
    emptyBeforeReading(keys.backend('widevine'));
    await expectUnavailable(playback.license(session, Buffer.from('challenge')));
  });

  test('a repeated create and a used id return 503 once the completeness marks are gone', async () => {
    const request = sessionRequest({ sessionId: randomUUID(), subject });
    await playback.create(tenant, request).expect(200);
    // As if the first create had reserved after Redis was emptied and its undo were still pending.
    await playback.redis.del(publishedKeys.deployment);
    await expectUnavailable(playback.create(tenant, request));
    await expectUnavailable(playback.create(tenant, { ...request, applicationId: 'another' }));
    await playback.publish(tenant);
    await playback.create(tenant, request).expect(200);
  });
});

describe('Redis that was emptied after everything was cached', () => {
  beforeEach(async () => {
    await publishViewer(playback.redis, tenant, { subject: 'blocked', status: 'blocked' });
    await create().expect(200);
  });

  test('a blocked viewer takes no slot after Redis was emptied, even if everything else is cached', async () => {
    await create({ subject: 'blocked' }).expect(403);
    await playback.redis.flushall();
    await expectUnavailable(create({ subject: 'blocked' }));
    await playback.publish(tenant);
    const { body: list } = await playback.asClient(tenant, 'get', '/sessions').expect(200);
    expect(list.items).toEqual([]);
  });

  test('a player releases its session before anything is published again, and cannot bring it back afterwards', async () => {
    const { body: session } = await create().expect(200);
    await playback.redis.flushall();
    await playback.asPlayer(session, 'release').expect(204);
    await playback.publish(tenant);
    expect((await playback.asPlayer(session, 'renew').expect(404)).body.code).toBe('session_not_found');
  });

  test('the same holds while Redis is being refilled', async () => {
    await playback.redis.flushall();
    await publish(playback.redis, publishedKeys.deployment, {
      ...deployment,
      generation: 'another',
      published: 'some',
    });
    await expectUnavailable(create({ subject: 'blocked' }));
  });

  test.each([undefined, deployment.format - 1, deployment.format + 1])(
    'nothing that is published in the format %p is used',
    async (format) => {
      await publish(playback.redis, publishedKeys.deployment, { ...deployment, format });
      await expectUnavailable(create());
      await expectUnavailable(create({ subject: 'blocked' }));
      const { body } = await supertest(playback.app).get('/api/v1/health/ready').expect(503);
      expect(body.checks.published.status).toBe('down');
    },
  );

  test.each([
    [null, 503],
    ['nothing', 503],
    ['some', 200],
    ['all', 200],
  ])('while %s is published, readiness returns %i', async (published, status) => {
    await playback.redis.flushall();
    if (published !== null) await publish(playback.redis, publishedKeys.deployment, { ...deployment, published });
    const { body } = await supertest(playback.app).get('/api/v1/health/ready').expect(status);
    expect(body.checks.published.status).toBe(status === 200 ? 'up' : 'down');
  });
});

test('a create reads the generation once more if its script had to be sent again, and once if not', async () => {
  await create().expect(200);
  const read = jest.spyOn(playback.redis, 'hmget');
  const readsOfGeneration = () => read.mock.calls.filter(([key]) => key === publishedKeys.deployment).length;
  await create({ subject: 'another' }).expect(200);
  expect(readsOfGeneration()).toBe(1);
  read.mockClear();
  await playback.redis.script('FLUSH');
  await create({ subject: 'a third' }).expect(200);
  expect(readsOfGeneration()).toBe(2);
  read.mockRestore();
});
