import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formerEndUserKeyStart, publishedChangesChannel } from '@multi-drm/contracts';
import { isRedisFull, isRedisUnavailable, type RedisClient } from '@multi-drm/service-kit';
import { ReplyError, type Result } from 'ioredis';

type PublishCall = [key: string, revision: string, document: string, channel: string, maximumBytesMore: number | ''];

/** A full Redis has room for a status, a limit or an end time, but not for a growing list. */
const maximumBytesMoreInFull = 1024;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs scripts/publish.lua. */
    publishDocument(...keyAndArguments: PublishCall): Result<unknown, Context>;
    /** Runs the same script where Redis is full. */
    publishDocumentInFull(...keyAndArguments: PublishCall): Result<unknown, Context>;
  }
}

/** How long a document waits for a connection to be established. */
const connectionWaitMilliseconds = 1_000;

/** Redis is unreachable or temporarily accepts no writes at all. */
export class RedisUnavailable extends Error {
  constructor(cause: unknown) {
    super('Redis is unavailable', { cause });
    this.name = 'RedisUnavailable';
  }
}

/** Redis is full and has no room for this document; others may be written. */
export class RedisFull extends Error {
  constructor() {
    super('Redis is full');
    this.name = 'RedisFull';
  }
}

interface Publication {
  /** A Redis key of `publishedKeys`. */
  key: string;
  revision: bigint;
  /** JSON; empty for a tombstone. */
  document: string;
}

/**
 * Writes a document to Redis, announces it and resolves to null; or resolves to the revision already in Redis if that is not older. What a
 * former format has left under the name of a viewer, which nobody reads, is removed instead of becoming a tombstone. Rejects with
 * `RedisUnavailable`; with `RedisFull` if Redis is full and the document is larger than the one it replaces; or with Redis's own error if
 * Redis rejects this document.
 */
export type DocumentWriter = (publication: Publication) => Promise<bigint | null>;

/**
 * A writer that uses a client of `createRedisClient`: its commands fail quickly, because a PostgreSQL transaction is
 * open meanwhile. A command that failed but is executed later does no harm: its revision is superseded.
 */
export function createDocumentWriter(redis: RedisClient): DocumentWriter {
  const lua = readFileSync(join(__dirname, 'scripts', 'publish.lua'), 'utf8');
  redis.defineCommand('publishDocument', { numberOfKeys: 1, lua });
  const allowedInFull = lua.replace(/^#!lua$/m, '#!lua flags=allow-oom');
  redis.defineCommand('publishDocumentInFull', { numberOfKeys: 1, lua: allowedInFull });
  return async ({ key, revision, document }) => {
    let reply: unknown;
    try {
      await untilReady(redis);
      if (document === '' && key.startsWith(formerEndUserKeyStart)) {
        // No tombstone: its key would name a person for seven days.
        await redis.unlink(key);
        return null;
      }
      const call = [key, revision.toString(), document, publishedChangesChannel] as const;
      reply = await redis.publishDocument(...call, '').catch((error: unknown) => {
        if (isRedisFull(error)) return redis.publishDocumentInFull(...call, maximumBytesMoreInFull);
        throw error;
      });
    } catch (error) {
      // An error reply that does not mean that Redis is unavailable concerns this document, such as a key of another
      // type.
      throw error instanceof ReplyError && !isRedisUnavailable(error) ? error : new RedisUnavailable(error);
    }
    return supersedingRevision(reply);
  };
}

/** Waits briefly for the connection. Rejects if it is not established. */
export async function untilReady(redis: RedisClient): Promise<void> {
  if (redis.status === 'ready') return;
  if (redis.status === 'end') throw new Error('the connection is closed');
  await once(redis, 'ready', { signal: AbortSignal.timeout(connectionWaitMilliseconds) });
}

/** Interprets the script's return codes. */
function supersedingRevision(reply: unknown): bigint | null {
  if (Array.isArray(reply)) {
    if (reply[0] === 0) return null;
    if (reply[0] === 1 && typeof reply[1] === 'string') return BigInt(reply[1]);
    if (reply[0] === 2) throw new RedisFull();
  }
  throw new Error('unexpected reply of the publishing script');
}
