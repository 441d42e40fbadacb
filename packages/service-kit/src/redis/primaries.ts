import { Cluster, type Redis } from 'ioredis';
import { isRedisFull } from './redis-errors';

/** A client of one Redis, of the primary that Sentinels name, or of a Redis Cluster. */
export type RedisClient = Redis | Cluster;

/** The clients of all servers that accept writes: one, or the primaries of a cluster. */
export function primariesOf(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/**
 * Resolves to whether a server rejects writes because it is full. It then also refuses scripts without the flag `allow-oom`. Of a cluster,
 * one full primary is enough. Rejects only if no server answers.
 */
export async function readRedisFull(client: RedisClient): Promise<boolean> {
  const answers = await answersOf(client, readFull);
  return answers.includes(true);
}

/** Asks all primaries, and resolves to the answers that arrive. Rejects with the error of one of them if no primary answers. */
export async function answersOf<Answer>(
  client: RedisClient,
  ask: (primary: Redis) => Promise<Answer>,
): Promise<Answer[]> {
  const replies = await Promise.allSettled(primariesOf(client).map(ask));
  const answers = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
  if (answers.length > 0) return answers;
  const [failure] = replies.flatMap((reply) => (reply.status === 'rejected' ? [reply.reason] : []));
  throw failure ?? new Error('no primary of the cluster is known');
}

async function readFull(primary: Redis): Promise<boolean> {
  try {
    await primary.eval('#!lua\nreturn 1', 0);
    return false;
  } catch (error) {
    if (isRedisFull(error)) return true;
    throw error;
  }
}
