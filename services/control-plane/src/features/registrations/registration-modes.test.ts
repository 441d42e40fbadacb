import { randomUUID } from 'node:crypto';
import { createRedisClient } from '@multi-drm/service-kit';
import type { Redis } from 'ioredis';
import { plans } from '../../plans/plans';
import { startControlPlane } from '../../testing/control-plane';
import { recordingLogger } from '../../testing/recording-logger';
import { bearer, newRegistration } from '../../testing/records';
import { createRegistrationLimiter } from './registration-limiter';

const path = '/api/v1/organizations/registrations';

test('where the operator approves, a registered organization is pending and can be set up meanwhile', async () => {
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

test('a company may choose the plans that are marked as self-service, and no other', async () => {
  const controlPlane = await startControlPlane();
  for (const { planId, selfService } of plans) {
    const { status } = await controlPlane.api.post(path).send({ ...newRegistration(), planId });
    expect({ planId, status }).toEqual({ planId, status: selfService ? 201 : 400 });
  }
});

test('a registration is audited with the address that it came from', async () => {
  const controlPlane = await startControlPlane({ environment: { TRUSTED_PROXIES: 'loopback' } });
  const { body } = await controlPlane.api
    .post(path)
    .set('X-Forwarded-For', '198.51.100.7')
    .send(newRegistration())
    .expect(201);
  const events = await controlPlane.prisma.auditEvent.findMany({ where: { organizationId: body.organizationId } });
  expect(events).toMatchObject([
    { action: 'organization.register', actorKind: 'anonymous', address: '198.51.100.7', recordId: body.organizationId },
  ]);
});

describe('an address that registers too often', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = createRedisClient({
      url: process.env.TEST_REDIS_URL ?? '',
      name: 'limiter',
      logger: recordingLogger([]),
      commandTimeout: 10_000,
    });
    await new Promise((resolve) => redis.once('ready', resolve));
  });
  afterAll(() => redis.disconnect());

  test('is refused over all processes, and told when to come back', async () => {
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

  test('is answered 429', async () => {
    const limiter = createRegistrationLimiter(redis, 1);
    const address = randomUUID();
    const controlPlane = await startControlPlane({ registrationLimiter: { admit: () => limiter.admit(address) } });
    await controlPlane.api.post(path).send(newRegistration()).expect(201);
    const { body } = await controlPlane.api.post(path).send(newRegistration()).expect(429);
    expect(body).toMatchObject({ code: 'rate_limited', retryable: true });
  });

  test('is still counted while Redis is away', async () => {
    const away = createRedisClient({ url: 'redis://127.0.0.1:1', name: 'away', logger: recordingLogger([]) });
    const limiter = createRegistrationLimiter(away, 1);
    await limiter.admit('address');
    await expect(limiter.admit('address')).rejects.toMatchObject({ code: 'rate_limited' });
    away.disconnect();
  });
});
