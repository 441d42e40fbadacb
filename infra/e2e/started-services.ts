import { cloneDatabase, findFreePort, startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Customer } from '@multi-drm/test-kit/services/customer';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';

/** Both services in their own processes, on a database and a Redis of their own. */
export interface StartedServices {
  redis: TestRedis;
  controlPlane: ServiceProcess;
  playback: ServiceProcess;
  /** Where the metrics of each are. */
  metricsUrls: { controlPlane: string; playback: string };
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
  const ports = { controlPlane: await findFreePort(), playback: await findFreePort() };
  const metricsOn = (port: number) => ({ environment: { METRICS_PORT: String(port) } });
  const controlPlane = await ServiceProcess.controlPlane(database.url, redis.url, metricsOn(ports.controlPlane));
  const playback = await ServiceProcess.playback(redis.url, metricsOn(ports.playback));
  closers.push(async () => {
    await Promise.all([controlPlane.stop(), playback.stop()]);
    await Promise.all([database.drop(), redis.stop()]);
  });
  await Promise.all([controlPlane.start(), playback.start()]);
  const addresses = { controlPlaneUrl: controlPlane.url, playbackUrl: playback.url };
  const metricsUrl = (port: number) => `http://127.0.0.1:${port}/metrics`;
  const metricsUrls = { controlPlane: metricsUrl(ports.controlPlane), playback: metricsUrl(ports.playback) };
  return { redis, controlPlane, playback, metricsUrls, register: () => Customer.register(addresses) };
}
