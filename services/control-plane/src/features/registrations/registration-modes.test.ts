import { randomUUID } from 'node:crypto';
import { createRedisClient, Metrics, type RedisClient, redisAt } from '@multi-drm/service-kit';
import { plans } from '../../plans/plans';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { recordingLogger } from '../../testing/recording-logger';
import { bearer, newRegistration } from '../../testing/records';
import { addPendingOrganizationsGauge } from './pending-organizations';
import { createRegistrationLimiter } from './registration-limiter';

const path = '/api/v1/organizations/registrations';

let proxied: Promise<TestControlPlane> | undefined;
/** A control plane that trusts proxies on loopback. */
const behindProxy = () => {
  proxied ??= startControlPlane({ environment: { TRUSTED_PROXIES: 'loopback' } });
  return proxied;
};

test('with approval by the operator, a registered organization is told that it is pending and can already be configured', async () => {
  const controlPlane = await startControlPlane({ environment: { REGISTRATION: 'approval' } });
  const { body } = await controlPlane.api.post(path).send(newRegistration()).expect(201);
  expect(body.status).toBe('pending');
  const { status } = await controlPlane.prisma.organization.findUniqueOrThrow({ where: { id: body.organizationId } });
  expect(status).toBe('pending');
  await controlPlane.api
    .post(`/api/v1/management/organizations/${body.organizationId}/projects`)
    .set(bearer(body.managementKey.key))
    .send({ name: 'Academy' })
    .expect(200);
});

test('the log and a metric say that an organization waits for approval, until it is approved', async () => {
  const { api, prisma, log } = await startControlPlane({ environment: { REGISTRATION: 'approval' } });
  const metrics = new Metrics(recordingLogger(log));
  addPendingOrganizationsGauge(metrics, prisma);
  const waiting = async () => /^multi_drm_organizations_pending (.*)$/m.exec(await metrics.text())?.[1];
  expect(await waiting()).toBe('0');

  const { body } = await api.post(path).send(newRegistration()).expect(201);
  await api.post(path).send(newRegistration()).expect(201);
  expect(await waiting()).toBe('2');
  expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
    {
      message: 'a registered organization waits for the approval of the operator',
      fields: { organizationId: body.organizationId },
    },
    { fields: { organizationId: expect.not.stringMatching(body.organizationId) } },
  ]);

  await api
    .patch(`/api/v1/management/organizations/${body.organizationId}`)
    .set({ ...bearer(operatorKey), 'If-Match': '*' })
    .send({ status: 'active' })
    .expect(200);
  expect(await waiting()).toBe('1');
});

test('with open registration, a registered organization is active, and nothing is logged', async () => {
  const { api, log } = await startControlPlane();
  const { body } = await api.post(path).send(newRegistration()).expect(201);
  expect(body.status).toBe('active');
  expect(log.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('a company may choose only self-service plans', async () => {
  const controlPlane = await startControlPlane();
  for (const { planId, selfService } of plans) {
    const { status } = await controlPlane.api.post(path).send({ ...newRegistration(), planId });
    expect({ planId, status }).toEqual({ planId, status: selfService ? 201 : 400 });
  }
});

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['198.51.100.7:50001', '198.51.100.7'],
  ['[2001:db8:1:2::7]:50001', '2001:db8:1:2::7'],
])('a registration forwarded by a proxy for %s is audited with the address %s', async (forwardedFor, address) => {
  const { api, prisma } = await behindProxy();
  const { body } = await api.post(path).set('X-Forwarded-For', forwardedFor).send(newRegistration()).expect(201);
  const events = await prisma.auditEvent.findMany({ where: { organizationId: body.organizationId } });
  expect(events).toMatchObject([
    { action: 'organization.register', actorKind: 'anonymous', address, recordId: body.organizationId },
  ]);
});

describe('an address that registers too often', () => {
  let redis: RedisClient;
  beforeAll(async () => {
    redis = createRedisClient({
      servers: redisAt(process.env.TEST_REDIS_URL ?? ''),
      name: 'limiter',
      logger: recordingLogger([]),
      commandTimeout: 10_000,
    });
    await new Promise((resolve) => redis.once('ready', resolve));
  });
  afterAll(() => redis.disconnect());

  test('is limited across all processes, with Retry-After', async () => {
    const address = randomUUID();
    const [one, another] = [createRegistrationLimiter(redis, 2), createRegistrationLimiter(redis, 2)];
    await one.admit(address);
    await another.admit(address);
    await expect(one.admit(address)).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': expect.stringMatching(/^3[56]\d\d$/) },
    });
    await one.admit(randomUUID());
  });

  test.each([
    [
      'with a different port each time',
      ['203.0.113.7:50001', '203.0.113.7:50002', '[::ffff:203.0.113.7]:3'],
      '203.0.113.8:1',
    ],
    ['from one /64 network', ['[2001:db8:1:2::7]:50001', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'], '2001:db8:1:3::7'],
  ])('is counted once %s', async (_how, [one = '', two = '', three = ''], another) => {
    // Memory counts like Redis does, and only for this test.
    const away = createRedisClient({
      servers: redisAt('redis://127.0.0.1:1'),
      name: 'away',
      logger: recordingLogger([]),
    });
    const { api } = await startControlPlane({
      databaseUrl: (await behindProxy()).databaseUrl,
      environment: { TRUSTED_PROXIES: 'loopback' },
      registrationLimiter: createRegistrationLimiter(away, 2),
    });
    const register = (address: string) => api.post(path).set('X-Forwarded-For', address).send(newRegistration());
    await register(one).expect(201);
    await register(two).expect(201);
    await register(three).expect(429);
    await register(another).expect(201);
    away.disconnect();
  });

  test('is answered with 429', async () => {
    const limiter = createRegistrationLimiter(redis, 1);
    const address = randomUUID();
    const controlPlane = await startControlPlane({ registrationLimiter: { admit: () => limiter.admit(address) } });
    await controlPlane.api.post(path).send(newRegistration()).expect(201);
    const { body } = await controlPlane.api.post(path).send(newRegistration()).expect(429);
    expect(body).toMatchObject({ code: 'rate_limited', retryable: true });
  });

  test('is still limited while Redis is unavailable', async () => {
    const away = createRedisClient({
      servers: redisAt('redis://127.0.0.1:1'),
      name: 'away',
      logger: recordingLogger([]),
    });
    const limiter = createRegistrationLimiter(away, 1);
    await limiter.admit('address');
    await expect(limiter.admit('address')).rejects.toMatchObject({ code: 'rate_limited' });
    away.disconnect();
  });
});
