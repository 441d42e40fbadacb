import { randomUUID } from 'node:crypto';
import { RedisSlotStore, type ReserveRequest } from '@multi-drm/slots';
import { buckets } from '@multi-drm/slots/testing';
import { Redis } from 'ioredis';
import { typicalSession } from './typical-session';

/**
 * Measures what sessions cost Redis: fills it through the slot store with sessions of as many viewers, renews, licenses, lists and
 * releases them, and prints the bytes per session and the time that each script takes in Redis. Needs an empty Redis of its own:
 *
 *   REDIS_URL=redis://127.0.0.1:6400 pnpm --filter @multi-drm/bench run session-memory 200000
 *
 * Lists of a few entries take less memory than large ones, so that a small number of sessions gives figures that are too low.
 */

const environmentId = randomUUID();

const newSession = () => typicalSession(buckets, environmentId);

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}

/** Calls a verb for each session, a few hundred at the same time; prints the microseconds per call that Redis spends. */
async function measure(
  redis: Redis,
  verb: string,
  sessions: ReserveRequest[],
  call: (session: ReserveRequest) => Promise<unknown>,
): Promise<void> {
  await redis.config('RESETSTAT');
  for (let first = 0; first < sessions.length; first += 256) {
    await Promise.all(sessions.slice(first, first + 256).map(call));
  }
  const stats = await redis.info('commandstats');
  const [, calls, microseconds] = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(stats) ?? [];
  const each = Number(microseconds) / Number(calls);
  console.log(`${verb.padEnd(24)} ${each.toFixed(1).padStart(8)} µs of Redis per call`);
}

async function time(name: string, run: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 11; round += 1) {
    const since = performance.now();
    await run();
    times.push(performance.now() - since);
  }
  const median = times.sort((a, b) => a - b)[5] ?? Number.NaN;
  console.log(`${name.padEnd(24)} ${median.toFixed(1).padStart(8)} ms (median of ${times.length})`);
}

async function main(count: number): Promise<void> {
  const { REDIS_URL: url } = process.env;
  if (url === undefined) throw new Error('REDIS_URL is required');
  const redis = new Redis(url, { enableAutoPipelining: true });
  try {
    await measureAll(redis, count);
  } finally {
    redis.disconnect();
  }
}

async function measureAll(redis: Redis, count: number): Promise<void> {
  if ((await redis.dbsize()) > 0) throw new Error('the Redis is not empty');
  const settings = {
    idempotentRepeatSeconds: 120,
    sessionIdRetentionSeconds: 86_400,
    buckets: () => buckets,
    eventBytes: () => 0,
  };
  const store = new RedisSlotStore(redis, settings);
  const calls = { callsPerMinute: 30, lifetimeMilliseconds: 14_400_000, maximumSessionMilliseconds: 86_400_000 };
  // Loads the scripts and makes room for the client.
  const warmUp = newSession();
  await store.reserve(warmUp);
  await store.countLicenseRequest({ ...warmUp, ...calls });
  await store.renew({ ...warmUp, ...calls });
  await store.release({ ...warmUp, reason: 'ended' });
  await store.remember(newSession(), null);

  const print = async (what: string, since: number) => {
    const bytes = ((await usedMemory(redis)) - since) / count;
    console.log(`${what.padEnd(24)} ${bytes.toFixed(0).padStart(8)} bytes each, of ${count}`);
  };
  const empty = await usedMemory(redis);
  const sessions = Array.from({ length: count }, newSession);
  await measure(redis, 'reserve', sessions, (session) => store.reserve(session));
  await measure(redis, 'count a license request', sessions, (session) =>
    store.countLicenseRequest({ ...session, ...calls }),
  );
  await measure(redis, 'find', sessions, (session) => store.find(session));
  await measure(redis, 'renew', sessions, (session) => store.renew({ ...session, ...calls }));
  await print('active session', empty);
  await time('first page of the list', () => store.listEnvironment(environmentId, { limit: 50 }));
  await measure(redis, 'release', sessions, (session) => store.release({ ...session, reason: 'ended' }));
  await print('ended session', empty);
  const ended = await usedMemory(redis);
  const unknown = Array.from({ length: count }, newSession);
  await measure(redis, 'remember', unknown, (session) => store.remember(session, null));
  await print('id ended before create', ended);
}

main(Number(process.argv[2] ?? 200_000)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
