import { randomUUID } from 'node:crypto';
import { createRedisClient, type RedisClient, redisAt } from '@multi-drm/service-kit';
import { plans } from '../../plans/plans';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { recordingLogger } from '../../testing/recording-logger';
import { bearer, newRegistration } from '../../testing/records';
import { createRegistrationLimiter } from './registration-limiter';

const path = '/api/v1/organizations/registrations';

let proxied: Promise<TestControlPlane> | undefined;
/** A control plane that trusts proxies on loopback. */
const behindProxy = () => {
  proxied ??= startControlPlane({ environment: { TRUSTED_PROXIES: 'loopback' } });
  return proxied;
};

test('with approval by the operator, a registered organization is pending and can already be configured', async () => {
  const controlPlane = await startControlPlane({ environment: { REGISTRATION: 'approval' } });
  const { body } = await controlPlane.api.post(path).send(newRegistration()).expect(201);
  const { status } = await controlPlane.prisma.organization.findUniqueOrThrow({ where: { id: body.organizationId } });
  expect(status).toBe('pending');
  await controlPlane.api
    .post(`/api/v1/management/organizations/${body.organizationId}/projects`)
    .set(bearer(body.managementKey.key))
    .send({ name: 'Academy' })
    .expect(200);
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
