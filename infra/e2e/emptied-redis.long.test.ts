import { type Customer, release } from '@multi-drm/test-kit/services/customer';
import { Redis } from 'ioredis';
import { type StartedServices, startServices } from './started-services';

let services: StartedServices;
let customer: Customer;

beforeAll(async () => {
  services = await startServices();
  customer = await services.register();
  await customer.publish('lesson');
  await customer.synchronize({ subject: 'blocked', status: 'blocked' });
  await customer.followed('lesson');
});

async function emptyRedis(): Promise<void> {
  const redis = new Redis(services.redis.url);
  await redis.flushall();
  redis.disconnect();
}

const readiness = async () => (await fetch(`${services.playback.url}/api/v1/health/ready`)).status;
const anotherClient = () =>
  customer.with({ apiClient: { apiClientId: '', clientId: 'ci_unknown', accessKey: 'ak_unknown' } });

/** Status and code of a create; status 200 if it plays. */
async function outcome(by: Customer, subject: string): Promise<string> {
  try {
    await release(await by.play('lesson', subject));
    return '200';
  } catch (error) {
    const [, status, body] = /: (\d{3}) (\{.*)$/s.exec(String(error)) ?? [];
    const { code, retryable } = JSON.parse(body ?? '{}');
    return `${status} ${code} ${retryable}`;
  }
}

/** Collects every outcome for a viewer, a blocked viewer and an unknown API client until all are as before. */
async function outcomesUntilRestored(): Promise<[viewer: Set<string>, blocked: Set<string>, unknown: Set<string>]> {
  const seen: [Set<string>, Set<string>, Set<string>] = [new Set(), new Set(), new Set()];
  for (;;) {
    const now = await Promise.all([
      outcome(customer, 'student'),
      outcome(customer, 'blocked'),
      outcome(anotherClient(), 'student'),
    ]);
    for (const [index, text] of now.entries()) seen[index]?.add(text);
    if (now[0] === '200' && now[1].startsWith('403') && now[2].startsWith('401')) return seen;
  }
}

const unavailable = '503 service_unavailable true';

test('while an emptied Redis is refilled, callers get no wrong refusal, and a blocked viewer cannot play', async () => {
  await emptyRedis();
  const [viewer, blocked, unknown] = await outcomesUntilRestored();
  expect([...viewer].filter((text) => text !== unavailable)).toEqual(['200']);
  expect([...blocked].filter((text) => text !== unavailable)).toEqual(['403 subject_blocked false']);
  expect([...unknown].filter((text) => text !== unavailable)).toEqual(['401 client_authentication_failed false']);
  expect(await readiness()).toBe(200);
});

test('while the control plane is down, everything stays 503 and not ready, and recovers with it', async () => {
  const session = await customer.play('lesson', 'watching');
  const renew = () =>
    fetch(session.renewal?.url ?? '', {
      method: 'POST',
      headers: { Authorization: `Bearer ${session.drm.drmLicenseToken}` },
    });
  await services.controlPlane.stop();
  await emptyRedis();
  const renewal = await renew();
  expect(renewal.status).toBe(503);
  expect(await renewal.json()).toMatchObject({ code: 'service_unavailable', retryable: true });
  expect(await outcome(customer, 'student')).toBe(unavailable);
  expect(await outcome(anotherClient(), 'student')).toBe(unavailable);
  expect(await readiness()).toBe(503);
  await services.controlPlane.start();
  await outcomesUntilRestored();
  expect(await readiness()).toBe(200);
  // The lost session continues.
  expect((await renew()).status).toBe(200);
});
