import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { Redis } from 'ioredis';
import { type Operation, operations } from '../contender';
import { lastCore } from '../cores';
import { startLicenseServer } from '../deployment';
import { type Deployed, deploy, type Size } from '../growth/deployed';
import { type LifeFigures, measureLives } from '../growth/session-lives';
import { LoadGenerator } from '../load';

const size: Size = { sessions: 1_000, slots: 1, documents: 1, processes: 2, redisServers: 1 };

const connections = 16;
const idleMilliseconds = 3_000;

/** How many sessions each process starts and ends first. */
const warmUpSessions = 2_000;

const withoutEvents = { EVENT_BUFFER_MEBIBYTES: '0' };

/** What a process that reports events and one that reports none cost, one after the other. */
interface Round {
  reporting: LifeFigures;
  silent: LifeFigures;
}

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
  /** How often the deployment is started. */
  starts: number;
  /** Of each start. */
  rounds: number;
  /** How many sessions a process starts and ends in a round: as few as a reader finds unread, because long lists cost more. */
  count: number;
}

/**
 * Measures the lives of sessions of two processes with one Redis, in turns. Before each turn the lists of events are emptied, as if they
 * had been read.
 *
 * @param reporting the index of the process that reports events
 */
async function measureRounds(deployed: Deployed, reporting: number, { rounds, count }: Extent): Promise<Round[]> {
  const generator = LoadGenerator.start(lastCore);
  const measured: Round[] = [];
  const turn = async (process: number) => {
    await withRedis(deployed, emptyLists);
    return measureLives(deployed, generator, { connections, count, process });
  };
  try {
    for (const process of [0, 1]) {
      // Warms up; the first calls of a process take so long that many at a time would be refused.
      await measureLives(deployed, generator, { connections: 1, count: 20, process });
      await measureLives(deployed, generator, { connections, count: warmUpSessions, process });
    }
    await deployed.redis.measureIdle(() => delay(idleMilliseconds));
    for (let round = 0; round < rounds; round += 1) {
      // What comes first in a round differs, because the machine does.
      const first = await turn(round % 2);
      const second = await turn(1 - (round % 2));
      measured.push(
        round % 2 === reporting ? { reporting: first, silent: second } : { reporting: second, silent: first },
      );
    }
    return measured;
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

/**
 * Medians over the rounds. Scripts are compared within each round, because the machine changes from one to the next; processor time as a
 * whole, because it is counted in ticks of ten milliseconds.
 */
function tableOf(rounds: Round[]): string[] {
  const row = (cells: string[]) => cells.map((cell) => cell.padStart(12)).join(' ');
  const sum = (figure: (round: Round) => number) => rounds.reduce((total, round) => total + figure(round), 0);
  const median = (figure: (round: Round) => number) => percentile(rounds.map(figure), 0.5);
  const script = (lives: LifeFigures, operation: Operation) => lives[operation].redisMicrosecondsPerScript;
  const processor = (lives: LifeFigures, operation: Operation) => lives[operation].cpuMicrosecondsPerRequest;
  return [
    row(['', 'script µs', 'without', 'difference', 'CPU µs', 'without', 'ratio']),
    ...operations.map((operation) =>
      row([
        operation,
        median(({ reporting }) => script(reporting, operation)).toFixed(1),
        median(({ silent }) => script(silent, operation)).toFixed(1),
        median(({ reporting, silent }) => script(reporting, operation) - script(silent, operation)).toFixed(1),
        (sum(({ reporting }) => processor(reporting, operation)) / rounds.length).toFixed(0),
        (sum(({ silent }) => processor(silent, operation)) / rounds.length).toFixed(0),
        (
          sum(({ reporting }) => processor(reporting, operation)) / sum(({ silent }) => processor(silent, operation))
        ).toFixed(3),
      ]),
    ),
  ];
}

/**
 * `npm run bench -- events [--starts 4] [--rounds 40] [--count 250]`: what reporting events costs, compared with a process beside it that
 * reports none; and the memory of unread and of read events. Nothing reads while requests are measured.
 */
export async function measureEvents(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      starts: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '40' },
      count: { type: 'string', default: '250' },
    },
  });
  const extent = { starts: Number(values.starts), rounds: Number(values.rounds), count: Number(values.count) };
  await withTestServers(async () => {
    const licenseServerUrl = await startLicenseServer();
    const rounds: Round[] = [];
    // What a process costs differs from one start to the next by as much as events cost, so there are several.
    for (let start = 0; start < extent.starts; start += 1) {
      const reporting = start % 2;
      const environment = (process: number): Record<string, string> => (process === reporting ? {} : withoutEvents);
      const deployed = await deploy(`start ${start + 1}`, size, licenseServerUrl, environment);
      try {
        await deployed.stage.controlPlane.kill();
        rounds.push(...(await measureRounds(deployed, reporting, extent)));
        if (start === extent.starts - 1) for (const line of await memoryOf(deployed, reporting)) console.log(line);
      } finally {
        await deployed.close();
      }
    }
    for (const line of tableOf(rounds)) console.log(line);
  });
}

/** The memory of the events of many sessions, and after a control plane has read them. */
async function memoryOf(deployed: Deployed, reporting: number): Promise<string[]> {
  const generator = LoadGenerator.start(lastCore);
  try {
    await measureLives(deployed, generator, { connections, count: warmUpSessions, process: reporting });
  } finally {
    generator.stop();
  }
  return withRedis(deployed, async (redis) => {
    const { entries, bytes } = await unreadOf(redis);
    await deployed.stage.controlPlane.start();
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
