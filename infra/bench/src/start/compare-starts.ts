import { cloneDatabase, startRedis } from '@multi-drm/test-kit';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { type ServiceOptions, ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import { countModules, measureFloor, measureStart, type Start } from './measure-start';

const rounds = 5;

const median = (values: number[]): number => percentile(values, 0.5);

type MakeService = (options: ServiceOptions) => Promise<ServiceProcess>;

/** Services that can be started on stores of their own. */
interface StartableServices {
  services: { playback: MakeService; 'control plane': MakeService };
  close(): Promise<void>;
}

/** Prepares the stores for starts of services. Needs the servers of the test kit. */
export async function prepareStarts(): Promise<StartableServices> {
  const [database, redis] = [await cloneDatabase(), await startRedis()];
  // Playback is not ready before a control plane has published.
  const publisher = await ServiceProcess.controlPlane(database.url, redis.url);
  await publisher.start();
  return {
    services: {
      playback: (options) => ServiceProcess.playback(redis.url, options),
      'control plane': (options) => ServiceProcess.controlPlane(database.url, redis.url, options),
    },
    close: async () => {
      await publisher.kill();
      await redis.stop();
      await database.drop();
    },
  };
}

/**
 * `npm run bench -- start`: what it takes to start each service, beside an empty process and one that only loads the libraries that both
 * services stand on, in turns in one run. Prints medians.
 */
export async function compareStarts(): Promise<void> {
  await withTestServers(async () => {
    const { services, close } = await prepareStarts();
    const measured: Record<string, () => Promise<Start>> = {
      'empty process': () => measureFloor('empty.cjs'),
      libraries: () => measureFloor('floor.cjs'),
      playback: () => measureStart(services.playback),
      'control plane': () => measureStart(services['control plane']),
    };
    const starts = new Map(Object.keys(measured).map((name) => [name, [] as Start[]]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, measure] of Object.entries(measured)) starts.get(name)?.push(await measure());
    }
    console.log('process           CPU ms  memory MiB  modules');
    for (const [name, each] of starts) {
      const service = services[name as keyof typeof services];
      const columns = [
        name.padEnd(15),
        median(each.map(({ cpuMilliseconds }) => cpuMilliseconds))
          .toFixed(0)
          .padStart(8),
        median(each.map(({ mebibytes }) => mebibytes))
          .toFixed(0)
          .padStart(11),
        service === undefined ? '' : String(await countModules(service)).padStart(8),
      ];
      console.log(columns.join(' '));
    }
    await close();
  });
}
