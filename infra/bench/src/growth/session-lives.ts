import { percentile } from '@multi-drm/test-kit/load/percentile';
import { cpuMicroseconds, transferredBytes } from '@multi-drm/test-kit/load/process-figures';
import { type Operation, operations, sessionStatuses } from '../contender';
import { requestOn, type StartedSession } from '../deployment';
import type { BenchRequest, LoadGenerator } from '../load';
import { medians, requireStatus } from '../measure';
import type { Deployed } from './deployed';

/** The figures of an operation. */
export interface GrowthFigures {
  requestsPerSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
  /** Of the playback processes that get the requests, together. */
  cpuMicrosecondsPerRequest: number;
  /** Of processor time of Redis, network included. */
  redisCpuMicrosecondsPerRequest: number;
  redisScriptsPerRequest: number;
  redisMicrosecondsPerScript: number;
  /** Of all connections of playback: those of callers, of Redis and of license servers. */
  networkBytesPerRequest: number;
  redisNetworkBytesPerRequest: number;
}

export type LifeFigures = Record<Operation, GrowthFigures>;

interface Load {
  connections: number;
  /** How many sessions. */
  count: number;
  /** Requests at a constant rate; without it, each connection sends the next request when it has an answer. */
  perSecond?: number;
  /** The index of the process that gets all requests; without it, all get them in turn. */
  process?: number;
}

/** Starts as many sessions, renews, licenses and releases each, so that afterwards as many are active as before. */
export async function measureLives(deployed: Deployed, generator: LoadGenerator, load: Load): Promise<LifeFigures> {
  const created = await measure(deployed, 'create', deployed.creates, generator, load);
  const sessions = created.answers.map((answer) => JSON.parse(answer) as StartedSession);
  const on = async (operation: 'renew' | 'license' | 'release') => {
    const requests = sessions.map((session) => requestOn(session, operation));
    return (await measure(deployed, operation, requests, generator, load)).figures;
  };
  return {
    create: created.figures,
    renew: await on('renew'),
    license: await on('license'),
    release: await on('release'),
  };
}

async function measure(
  { name, stage, redis, size }: Deployed,
  operation: Operation,
  requests: BenchRequest[],
  generator: LoadGenerator,
  { process, ...load }: Load,
): Promise<{ figures: GrowthFigures; answers: string[] }> {
  const playbacks = process === undefined ? stage.playbacks : stage.playbacks.slice(process, process + 1);
  const total = (of: (pid: number) => number) =>
    playbacks.reduce((sum, { pid }) => {
      if (pid === undefined) throw new Error('playback has ended');
      return sum + of(pid);
    }, 0);
  const before = { cpu: total(cpuMicroseconds), bytes: total(transferredBytes) };
  const job = {
    urls: playbacks.map(({ url }) => url),
    requests,
    ...load,
    perUnique: size.slots,
    keepsAnswers: operation === 'create',
  };
  const { result, ...redisCost } = await redis.measure(load.count, () => generator.run(job));
  const { seconds, milliseconds, statuses, answers } = result;
  requireStatus(statuses, sessionStatuses[operation], load.count, `${name}, ${operation}`);
  const figures = {
    requestsPerSecond: load.count / seconds,
    p50Milliseconds: percentile(milliseconds, 0.5),
    p99Milliseconds: percentile(milliseconds, 0.99),
    cpuMicrosecondsPerRequest: (total(cpuMicroseconds) - before.cpu) / load.count,
    redisCpuMicrosecondsPerRequest: redisCost.cpuMicrosecondsPerRequest,
    redisScriptsPerRequest: redisCost.scriptsPerRequest,
    redisMicrosecondsPerScript: redisCost.microsecondsPerScript,
    networkBytesPerRequest: (total(transferredBytes) - before.bytes) / load.count,
    redisNetworkBytesPerRequest: redisCost.networkBytesPerRequest,
  };
  return { figures, answers };
}

/** The median of each figure over the rounds. */
export function medianLives(rounds: LifeFigures[]): LifeFigures {
  const figuresOf = (operation: Operation) => medians(rounds.map((round) => round[operation]));
  return Object.fromEntries(operations.map((operation) => [operation, figuresOf(operation)])) as LifeFigures;
}
