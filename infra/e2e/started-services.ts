import { cloneDatabase, startRedis, type TestRedis } from '@multi-drm/testing';
import { Customer } from './customer';
import { ServiceProcess } from './service-process';

/** Both services in their own processes, on a database and a Redis of their own. */
export interface StartedServices {
  redis: TestRedis;
  controlPlane: ServiceProcess;
  playback: ServiceProcess;
  /** Registers a customer, who calls these services. */
  register(): Promise<Customer>;
}

const closers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const close of closers) await close();
});

/** Starts one process of each service. They and their stores stop with the suite. */
export async function startServices(redisOptions?: Parameters<typeof startRedis>[0]): Promise<StartedServices> {
  const [database, redis] = await Promise.all([cloneDatabase(), startRedis(redisOptions)]);
  const controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
  const playback = await ServiceProcess.playback(redis.url);
  closers.push(async () => {
    await Promise.all([controlPlane.stop(), playback.stop()]);
    await Promise.all([database.drop(), redis.stop()]);
  });
  await Promise.all([controlPlane.start(), playback.start()]);
  const addresses = { controlPlaneUrl: controlPlane.url, playbackUrl: playback.url };
  return { redis, controlPlane, playback, register: () => Customer.register(addresses) };
}
