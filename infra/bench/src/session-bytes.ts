import { type Operation, sessionStatuses } from './contender';
import { createRequest, requestOn, type StartedSession, startDeployment } from './deployment';
import { MeasuredRedis } from './growth/redis-figures';
import type { BenchRequest, LoadGenerator } from './load';
import { requireStatus } from './measure';

/** How many sessions each measured viewer has. */
export const sessionsOfViewers = [1, 2, 16] as const;

/** How many sessions are started by one job of the load, which keeps their answers of 5 KB: whole viewers. */
const sessionsAtOnce = 4_800;

/** Few, because time is not measured, and the first calls of a process are slow: many at a time would be refused. */
const connections = 4;

/** Sessions that are refused, because the machine has other work, are not counted. */
const refusedAtMost = 0.1;

interface Filling {
  /** Of all viewers. */
  sessions: number;
  /** Of each viewer. */
  perViewer: number;
}

/**
 * The bytes of Redis that an active session takes: starts the product on an empty Redis, then starts, licenses and renews sessions over
 * HTTP. `checkout`: the root folder of another checkout, whose build is run. Needs the servers of the test kit.
 */
export async function bytesOfSession(
  { sessions, perViewer }: Filling,
  generator: LoadGenerator,
  licenseServerUrl: string,
  checkout?: string,
): Promise<number> {
  const stage = await startDeployment(licenseServerUrl, {
    checkout,
    settings: { maximumConcurrentStreams: perViewer },
  });
  const redis = new MeasuredRedis([stage.redis.url]);
  const create = createRequest(stage.customer.siteId, stage.customer.apiClient);
  const send = async (operation: Operation, requests: BenchRequest[], count: number) => {
    const job = { urls: stage.playbackUrls, requests, count, connections, perUnique: perViewer };
    const { statuses, answers } = await generator.run({ ...job, keepsAnswers: operation === 'create' });
    const what = `${operation}, viewers with ${perViewer} sessions`;
    requireStatus(statuses, sessionStatuses[operation], count, what, refusedAtMost);
    return answers.map((answer) => JSON.parse(answer) as StartedSession);
  };
  try {
    const before = await redis.bytes();
    let active = 0;
    for (let left = sessions; left > 0; left -= sessionsAtOnce) {
      const started = await send('create', [create], Math.min(left, sessionsAtOnce));
      active += started.length;
      for (const operation of ['license', 'renew'] as const) {
        await send(
          operation,
          started.map((session) => requestOn(session, operation)),
          started.length,
        );
      }
    }
    return ((await redis.bytes()) - before) / active;
  } finally {
    redis.close();
    await stage.close();
  }
}
