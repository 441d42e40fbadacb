import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTestCluster } from './test-cluster';
import { startTestSentinel } from './test-sentinel';
import { startTestRedis, type TestFolder } from './test-servers';

/** What a run uses as Redis. */
export type RedisKind = 'single' | 'sentinel' | 'cluster';

/** Reads TEST_REDIS. */
export function redisKindOfRun(): RedisKind {
  const { TEST_REDIS: kind = 'single' } = process.env;
  if (kind === 'single' || kind === 'sentinel' || kind === 'cluster') return kind;
  throw new Error(`TEST_REDIS is "${kind}"; it must be single, sentinel or cluster`);
}

/** A Redis of the kind that the run uses. */
export interface RedisOfRun {
  /** The settings of a service that uses it. */
  settings: Record<string, string>;
  /** Has other servers hold the data, or the same one with another run id; the former may still answer. */
  replaceServer(): Promise<void>;
}

/** Starts a Redis of the kind that the run uses. It stops with the folder's other servers. */
export async function startRedisOfRun({ path, children }: TestFolder): Promise<RedisOfRun> {
  // The run has a cluster of its own in its folder.
  const folder = { path: join(path, 'redis-of-run'), children };
  mkdirSync(folder.path, { recursive: true });
  const kind = redisKindOfRun();
  if (kind === 'sentinel') {
    const { settings, failOver } = await startTestSentinel(folder);
    return { settings, replaceServer: failOver };
  }
  if (kind === 'cluster') {
    const { settings, nodes } = await startTestCluster(folder, { withReplicas: true });
    return { settings, replaceServer: async () => nodes[0]?.child.stop() };
  }
  const options = { appendOnly: false, dataFolder: join(folder.path, 'redis') };
  const { url, port, child } = await startTestRedis(folder, options);
  return {
    settings: { REDIS_URL: url },
    replaceServer: async () => {
      await child.stop();
      await startTestRedis(folder, { ...options, port });
    },
  };
}
