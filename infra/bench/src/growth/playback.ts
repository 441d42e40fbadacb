import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withTestServers } from '@multi-drm/test-kit/servers/stand-alone-servers';
import { operations } from '../contender';
import { lastCore } from '../cores';
import { startLicenseServer } from '../deployment';
import { LoadGenerator } from '../load';
import {
  countMilliseconds,
  type Deployed,
  deploy,
  listMilliseconds,
  type Size,
  withoutCountMilliseconds,
} from './deployed';
import { type LifeFigures, measureLives, medianLives } from './session-lives';

/** What grows, and the sizes that are compared, the smallest first. */
export const growths = {
  sessions: [1_000, 100_000, 1_000_000],
  slots: [1, 10, 50],
  documents: [1, 1_000, 100_000],
  processes: [1, 2],
  redisServers: [1, 3],
} as const satisfies Record<keyof Size, readonly number[]>;

/** The measurement of one size. */
export interface Grown {
  name: string;
  figures: LifeFigures;
  bytesPerSession: number;
  /** Of the first page of the environment's active sessions. */
  listMilliseconds: number;
  /** Of a request that counts the environment's active sessions. */
  countMilliseconds: number;
  /** Of the same request without the count. */
  withoutCountMilliseconds: number;
  /** Processor time of Redis without requests, as a share of a core. */
  idleShareOfRedis: number;
}

interface Extent {
  rounds: number;
  /** Sessions of a round, for each process. */
  count: number;
}

/** To each process. */
const connections = 16;

/**
 * Requests a second to each process while their number grows: what two processes can do where all share two cores. At full load they would
 * share the cores, and take longer for each request.
 */
const perSecondOfProcess = 200;

const idleMilliseconds = 3_000;

/** Compares the smallest size with the larger ones, in turns; resolves to the figures of each. Needs the servers of the test kit. */
export async function measureGrowth(
  what: keyof Size,
  sizes: readonly number[],
  { rounds, count }: Extent,
): Promise<Grown[]> {
  const smallest: Size = { sessions: 1_000, slots: 1, documents: 1, processes: 1, redisServers: 1 };
  const licenseServerUrl = await startLicenseServer();
  const generator = LoadGenerator.start(lastCore);
  const deployed: Deployed[] = [];
  try {
    for (const size of sizes) {
      deployed.push(await deploy(`${what} ${size}`, { ...smallest, [what]: size }, licenseServerUrl));
    }
    const measured = deployed.map((each) => ({ each, lives: [] as LifeFigures[] }));
    const loadOf = ({ processes }: Size) => ({
      connections: connections * processes,
      count: count * processes,
      ...(what === 'processes' ? { perSecond: perSecondOfProcess * processes } : {}),
    });
    for (const { each } of measured) {
      // Warms up; the first calls of a process take so long that many at a time would be refused.
      await measureLives(each, generator, { connections: 1, count: Math.min(count, 20) });
      await measureLives(each, generator, loadOf(each.size));
      await each.redis.measureIdle(() => delay(idleMilliseconds));
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { each, lives } of measured) lives.push(await measureLives(each, generator, loadOf(each.size)));
    }
    const grown: Grown[] = [];
    for (const { each, lives } of measured) {
      grown.push({
        name: each.name,
        figures: medianLives(lives),
        bytesPerSession: each.bytesPerSession,
        listMilliseconds: await listMilliseconds(each),
        countMilliseconds: await countMilliseconds(each),
        withoutCountMilliseconds: await withoutCountMilliseconds(each),
        idleShareOfRedis: each.redis.idleShare,
      });
    }
    return grown;
  } finally {
    generator.stop();
    for (const each of deployed) await each.close();
  }
}

function tableOf(grown: Grown[]): string[] {
  const [smallest] = grown;
  const columns = (name: string, operation: string, figures: string[]) =>
    [name.padEnd(18), operation.padEnd(9), ...figures.map((figure) => figure.padStart(9))].join(' ');
  const head = [
    'per s',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    '× first',
    'Redis µs',
    '× first',
    'scripts',
    'µs each',
    'bytes',
    'of Redis',
  ];
  const rows = operations.flatMap((operation) =>
    grown.map(({ name, figures }) => {
      const [own, first] = [figures[operation], smallest?.figures[operation] ?? figures[operation]];
      return columns(name, operation, [
        own.requestsPerSecond.toFixed(0),
        own.p50Milliseconds.toFixed(1),
        own.p99Milliseconds.toFixed(1),
        own.cpuMicrosecondsPerRequest.toFixed(0),
        (own.cpuMicrosecondsPerRequest / first.cpuMicrosecondsPerRequest).toFixed(2),
        own.redisCpuMicrosecondsPerRequest.toFixed(0),
        (own.redisCpuMicrosecondsPerRequest / first.redisCpuMicrosecondsPerRequest).toFixed(2),
        own.redisScriptsPerRequest.toFixed(1),
        own.redisMicrosecondsPerScript.toFixed(0),
        own.networkBytesPerRequest.toFixed(0),
        own.redisNetworkBytesPerRequest.toFixed(0),
      ]);
    }),
  );
  const others = grown.map((each) =>
    [
      each.name.padEnd(18),
      `${each.bytesPerSession.toFixed(0)} bytes a session,`,
      `list ${each.listMilliseconds.toFixed(1)} ms,`,
      `count ${each.countMilliseconds.toFixed(1)} ms (without counting ${each.withoutCountMilliseconds.toFixed(1)} ms),`,
      `Redis ${(100 * each.idleShareOfRedis).toFixed(1)} % of a core without requests`,
    ].join(' '),
  );
  return [columns('', '', head), ...rows, ...others];
}

/**
 * `npm run bench -- growth-playback [sessions] [slots] [documents] [processes] [redisServers] [--sizes 1000,100000] [--rounds 5]
 * [--count 1000]`: what creates, renewals, license requests and releases take while something grows; without names, each of them. Sizes
 * are those of every name. Prints tables, and writes all figures to `infra/bench/results/growth-playback.json`.
 */
export async function measurePlaybackGrowth(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      sizes: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      count: { type: 'string', default: '1000' },
    },
  });
  const names = Object.keys(growths) as (keyof Size)[];
  const unknown = positionals.filter((name) => !names.some((known) => known === name));
  if (unknown.length > 0) throw new Error(`nothing named ${unknown.join(', ')} grows; there are ${names.join(', ')}`);
  const extent = { rounds: Number(values.rounds), count: Number(values.count) };
  const results: Record<string, Grown[]> = {};
  await withTestServers(async () => {
    for (const name of names.filter((each) => positionals.length === 0 || positionals.includes(each))) {
      const sizes = values.sizes?.split(',').map(Number) ?? growths[name];
      const grown = await measureGrowth(name, sizes, extent);
      for (const line of tableOf(grown)) console.log(line);
      results[name] = grown;
    }
  });
  const folder = join(__dirname, '../../results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'growth-playback.json'), `${JSON.stringify(results, null, 2)}\n`);
}
