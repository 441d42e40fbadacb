import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { Redis } from 'ioredis';
import { operations } from '../contender';
import { lastCore } from '../cores';
import { startLicenseServer } from '../deployment';
import { type Deployed, deploy, type Size } from '../growth/deployed';
import { type LifeFigures, measureLives, medianLives } from '../growth/session-lives';
import { LoadGenerator } from '../load';

const size: Size = { sessions: 1_000, slots: 1, documents: 1, processes: 1, redisServers: 1 };

const connections = 16;
const idleMilliseconds = 3_000;

/** How many entries the lists of events have, and the bytes of memory that they take. */
interface Unread {
  entries: number;
  bytes: number;
}

/** Of the events of slots only. */
async function unreadOf(redis: Redis): Promise<Unread> {
  const keys = await redis.keys('slot-events:*');
  let [entries, bytes] = [0, 0];
  for (const key of keys) {
    entries += await redis.llen(key);
    bytes += (await redis.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
  }
  return { entries, bytes };
}

/** Measures the lives of sessions in two deployments, in turns. Resolves to the medians of each. */
async function measureInTurns(deployed: Deployed[], { rounds, count }: { rounds: number; count: number }) {
  const generator = LoadGenerator.start(lastCore);
  const measured = deployed.map((each) => ({ each, lives: [] as LifeFigures[] }));
  try {
    for (const { each } of measured) {
      // Warms up; the first calls of a process take so long that many at once would be refused.
      await measureLives(each, generator, { connections: 1, count: Math.min(count, 20) });
      await measureLives(each, generator, { connections, count });
      await each.redis.measureIdle(() => delay(idleMilliseconds));
    }
    for (let round = 0; round < rounds; round += 1) {
      // What comes first in a round differs, because the machine does.
      for (const { each, lives } of round % 2 === 0 ? measured : measured.toReversed()) {
        lives.push(await measureLives(each, generator, { connections, count }));
      }
    }
    return measured.map(({ lives }) => medianLives(lives));
  } finally {
    generator.stop();
  }
}

function tableOf([on, off]: LifeFigures[]): string[] {
  if (on === undefined || off === undefined) return [];
  const row = (cells: string[]) => cells.map((cell) => cell.padStart(12)).join(' ');
  return [
    row(['', 'script µs', 'without', 'difference', 'CPU µs', 'without', 'ratio']),
    ...operations.map((operation) => {
      const [told, silent] = [on[operation], off[operation]];
      const [script, without] = [told.redisMicrosecondsPerScript, silent.redisMicrosecondsPerScript];
      const [processor, less] = [told.cpuMicrosecondsPerRequest, silent.cpuMicrosecondsPerRequest];
      return row([
        operation,
        script.toFixed(1),
        without.toFixed(1),
        (script - without).toFixed(1),
        processor.toFixed(0),
        less.toFixed(0),
        (processor / less).toFixed(3),
      ]);
    }),
  ];
}

/**
 * `npm run bench -- events [--rounds 9] [--count 3000]`: what telling events costs, compared with a deployment that tells none, in turns;
 * and the memory of unread and of read events. Nothing reads while requests are measured.
 */
export async function measureEvents(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '9' }, count: { type: 'string', default: '3000' } },
  });
  await withTestServers(async () => {
    const licenseServerUrl = await startLicenseServer();
    const deployed: Deployed[] = [];
    try {
      const telling = await deploy('events', size, licenseServerUrl);
      deployed.push(telling);
      deployed.push(await deploy('no events', size, licenseServerUrl, { EVENT_BUFFER_MEBIBYTES: '0' }));
      for (const { stage } of deployed) await stage.controlPlane.kill();
      const extent = { rounds: Number(values.rounds), count: Number(values.count) };
      for (const line of tableOf(await measureInTurns(deployed, extent))) console.log(line);
      const redis = new Redis(telling.stage.redis.url);
      const { entries, bytes } = await unreadOf(redis);
      console.log(`${entries} unread events of slots take ${(bytes / entries).toFixed(0)} bytes each`);
      await telling.stage.controlPlane.start();
      let left = await unreadOf(redis);
      for (const deadline = Date.now() + 60_000; left.entries > 0 && Date.now() < deadline; ) {
        await delay(100);
        left = await unreadOf(redis);
      }
      console.log(`once they are read, the lists take ${left.bytes} bytes`);
      redis.disconnect();
    } finally {
      for (const each of deployed) await each.close();
    }
  });
}
