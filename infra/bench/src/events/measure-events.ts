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

/** A deployment that is measured: its name, and settings of playback. */
interface Contender {
  name: string;
  environment: Record<string, string>;
}

const contenders: Contender[] = [
  { name: 'events', environment: {} },
  { name: 'no events', environment: { EVENT_BUFFER_MEBIBYTES: '0' } },
];

/** A quarter of the rounds is quieter: what else the machine does only adds to what a call costs. */
const quietShare = 0.25;

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

interface Extent {
  /** How often both deployments are started. */
  starts: number;
  /** Of each start. */
  rounds: number;
  /** How many sessions a round starts and ends. */
  count: number;
}

/**
 * Measures the lives of sessions in two deployments, in turns. What a process costs differs by as much as it tells from one start to the
 * next, so all start several times. After each round the lists are emptied, as if the events had been read.
 */
async function measureStart(deployed: Deployed[], { rounds, count }: Extent): Promise<LifeFigures[][]> {
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
        await withRedis(each, emptyLists);
        lives.push(await measureLives(each, generator, { connections, count }));
      }
    }
    return measured.map(({ lives }) => lives);
  } finally {
    generator.stop();
  }
}

async function withRedis<Result>({ stage }: Deployed, use: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(stage.redis.url);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

async function emptyLists(redis: Redis): Promise<void> {
  const keys = [...(await redis.keys('slot-events:*')), ...(await redis.keys('request-events:*'))];
  if (keys.length > 0) await redis.del(keys);
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
 * `npm run bench -- events [--starts 4] [--rounds 3] [--count 3000]`: what telling events costs, compared with a deployment that tells
 * none, in turns; and the memory of unread and of read events. Nothing reads while requests are measured.
 */
export async function measureEvents(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      starts: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '3' },
      count: { type: 'string', default: '3000' },
    },
  });
  const extent = { starts: Number(values.starts), rounds: Number(values.rounds), count: Number(values.count) };
  await withTestServers(async () => {
    const licenseServerUrl = await startLicenseServer();
    const figures = contenders.map(() => [] as LifeFigures[]);
    for (let start = 1; start <= extent.starts; start += 1) {
      const deployed = new Map<Contender, Deployed>();
      try {
        // What is started first may be quicker.
        for (const contender of start % 2 === 1 ? contenders : contenders.toReversed()) {
          deployed.set(contender, await deploy(contender.name, size, licenseServerUrl, contender.environment));
        }
        const inOrder = contenders.flatMap((contender) => deployed.get(contender) ?? []);
        for (const { stage } of inOrder) await stage.controlPlane.kill();
        for (const [index, lives] of (await measureStart(inOrder, extent)).entries()) figures[index]?.push(...lives);
        const [telling] = inOrder;
        if (start === extent.starts && telling) for (const line of await memoryOf(telling)) console.log(line);
      } finally {
        for (const each of deployed.values()) await each.close();
      }
    }
    for (const line of tableOf(figures.map((lives) => medianLives(lives, quietShare)))) console.log(line);
  });
}

/** The memory of the last round's events, and after a control plane has read them. */
function memoryOf(telling: Deployed): Promise<string[]> {
  return withRedis(telling, async (redis) => {
    const { entries, bytes } = await unreadOf(redis);
    await telling.stage.controlPlane.start();
    let left = await unreadOf(redis);
    for (const deadline = Date.now() + 60_000; left.entries > 0 && Date.now() < deadline; ) {
      await delay(100);
      left = await unreadOf(redis);
    }
    return [
      `${entries} unread events of slots take ${(bytes / entries).toFixed(0)} bytes each`,
      `once they are read, the lists take ${left.bytes} bytes`,
    ];
  });
}
