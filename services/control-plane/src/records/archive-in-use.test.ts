import { randomUUID } from 'node:crypto';
import { activeSessionsKey, bucketHashTag } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { type NetworkLink, startNetworkLink } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import type { Response } from 'supertest';
import { auditTrailOf } from '../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let redis: RedisClient;
let tenant: TestTenant;

beforeAll(async () => {
  redis = new Redis(process.env.TEST_REDIS_URL ?? '');
  controlPlane = await startControlPlane();
});
afterAll(() => redis.disconnect());
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const call = async (
  method: 'get' | 'post' | 'delete',
  path: string,
  { api }: Pick<TestControlPlane, 'api'> = controlPlane,
): Promise<Response> => api[method](`/api/v1/management/${path}`).set(bearer(tenant.key));

/** Adds a session as playback does, which ends after this many milliseconds. */
async function addSession(environmentId: string, left = 60_000): Promise<void> {
  const [seconds] = await redis.time();
  const key = activeSessionsKey(bucketHashTag(7), environmentId);
  await redis.zadd(key, Number(seconds) * 1000 + left, `${randomUUID()}:student`);
}
const endSessions = (environmentId: string) => redis.del(activeSessionsKey(bucketHashTag(7), environmentId));

async function publish(contentId: string): Promise<string> {
  const id = await createContent(controlPlane, tenant, { contentId });
  expect((await call('post', `content/${id}/publish`)).status).toBe(200);
  return id;
}

const advice = 'Send cascade=true to archive it anyway.';

describe.each([
  ['environment', () => `environments/${tenant.development}`, () => tenant.development],
  ['project', () => `projects/${tenant.projectId}`, () => tenant.projectId],
])('%s: archiving', (kind, path, id) => {
  const archive = (query = '', of?: TestControlPlane) => call('delete', `${path()}${query}`, of);
  const isRefused = async (detail: string) => {
    expect((await archive()).body).toMatchObject({ status: 409, code: 'record_in_use', detail: `${detail} ${advice}` });
    expect((await call('get', path())).body.status).toBe('active');
  };

  test('is rejected while content is published, which is named', async () => {
    const ids = [await publish('lesson-1'), await publish('lesson-2')];
    await createContent(controlPlane, tenant, { contentId: 'a draft' });
    await isRefused('Needed by 2 published content assets ("lesson-1", "lesson-2").');
    await call('delete', `content/${ids[0]}`);
    await isRefused('Needed by the published content asset "lesson-2".');
    await call('post', `content/${ids[1]}/unpublish`);
    expect((await archive()).status).toBe(204);
  });

  test('is rejected while sessions are active, which are counted', async () => {
    await addSession(tenant.development);
    await addSession(tenant.development, -60_000);
    await isRefused('Needed by 1 active session.');
    await addSession(tenant.development);
    await publish('lesson-1');
    await isRefused('Needed by the published content asset "lesson-1" and 2 active sessions.');
    expect((await archive('?cascade=false')).status).toBe(409);
    expect((await archive('?cascade=true')).status).toBe(204);
    expect((await auditTrailOf(controlPlane, id())).at(-1)).toMatchObject({
      action: `${kind}.archive`,
      details: { cascade: true },
    });
    await endSessions(tenant.development);
  });

  test('a second time needs no cascade', async () => {
    await publish('lesson-1');
    expect((await archive('?cascade=true')).status).toBe(204);
    expect((await archive()).status).toBe(204);
  });

  test.each(['yes', '1', ''])('with cascade=%j is rejected by name', async (value) => {
    const { body } = await archive(`?cascade=${value}`);
    expect(body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(body.errors).toEqual({ cascade: ['must be true or false, given once'] });
  });

  test('and publishing concurrently: one is rejected', async () => {
    const content = await createContent(controlPlane, tenant);
    const answers = await Promise.all([archive(), call('post', `content/${content}/publish`)]);
    const eitherOf = [
      [204, 409],
      [409, 200],
    ];
    expect(eitherOf).toContainEqual(answers.map(({ status }) => status));
  });
});

test('a project is in use by the sessions of each of its environments', async () => {
  await addSession(tenant.development);
  await addSession(tenant.production);
  const { body } = await call('delete', `projects/${tenant.projectId}`);
  expect(body.detail).toBe(`Needed by 2 active sessions. ${advice}`);
  // Sessions of an archived environment are not counted again.
  expect((await call('delete', `environments/${tenant.development}?cascade=true`)).status).toBe(204);
  await endSessions(tenant.production);
  expect((await call('delete', `projects/${tenant.projectId}`)).status).toBe(204);
});

describe('while Redis is unavailable', () => {
  let link: NetworkLink;
  let cutOff: TestControlPlane;

  beforeAll(async () => {
    link = await startNetworkLink(process.env.TEST_REDIS_URL ?? '');
    cutOff = await startControlPlane({ databaseUrl: controlPlane.databaseUrl, redisUrl: link.url });
    await link.cut();
  });
  afterAll(() => link.close());

  test.each([
    ['environment', () => `environments/${tenant.development}`],
    ['project', () => `projects/${tenant.projectId}`],
  ])('archiving a %s fails because sessions cannot be counted, unless counting is not needed', async (_kind, path) => {
    const refused = await call('delete', path(), cutOff);
    expect(refused.body).toMatchObject({ status: 503, code: 'service_unavailable', retryable: true });
    expect(refused.body.detail).toContain('Active sessions cannot currently be counted');
    expect(refused.headers['retry-after']).toBe('5');
    expect((await call('get', path(), cutOff)).body.status).toBe('active');
    expect((await call('delete', `${path()}?cascade=true`, cutOff)).status).toBe(204);
    expect((await call('delete', path(), cutOff)).status).toBe(204);
  });
});
