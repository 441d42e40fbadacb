import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  cloneDatabase,
  dumpDatabase,
  dumpRedis,
  startRedis,
  type TestDatabase,
  type TestRedis,
} from '@multi-drm/test-kit';
import { Customer } from '@multi-drm/test-kit/services/customer';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import { Redis } from 'ioredis';

let database: TestDatabase;
let redis: TestRedis;
let controlPlane: ServiceProcess;
let playback: ServiceProcess;
let customer: Customer;

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
  controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
  playback = await ServiceProcess.playback(redis.url);
  await Promise.all([controlPlane.start(), playback.start()]);
  customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: playback.url });
  await customer.publish('lesson');
  await customer.followed('lesson', playback.url);
});
afterAll(async () => {
  await Promise.all([controlPlane.stop(), playback.stop()]);
  await Promise.all([database.drop(), redis.stop()]);
});

/** The lines of both stores that name the subject; PostgreSQL writes bytes in hexadecimal. */
async function linesNaming(subject: string): Promise<string[]> {
  const client = new Redis(redis.url);
  const dumps = await Promise.all([dumpDatabase(database.url), dumpRedis(client)]);
  client.disconnect();
  const texts = [subject, Buffer.from(subject).toString('hex')];
  return dumps.flatMap((dump) => dump.split('\n')).filter((line) => texts.some((text) => line.includes(text)));
}

test('a minute after the erasure of a blocked viewer with an active session, neither store names it, and it is refused', async () => {
  const subject = `${randomUUID()}@example.com`;
  const { userId } = (await customer.synchronize({ subject })) as { userId: string };
  await customer.play('lesson', subject, playback.url);
  await customer.synchronize({ subject, status: 'blocked' });
  expect(await linesNaming(subject)).not.toEqual([]);
  await customer.manage('DELETE', `/users/${userId}`);
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline && (await linesNaming(subject)).length > 0) await delay(1_000);
  expect(await linesNaming(subject)).toEqual([]);
  await expect(customer.play('lesson', subject, playback.url)).rejects.toThrow('subject_blocked');
  await customer.synchronize({ subject });
  await expect(customer.play('lesson', subject, playback.url)).rejects.toThrow('subject_blocked');
}, 90_000);
