import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicationMarkChannel, publishedKeys } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import type { Result } from 'ioredis';
import type { Transaction } from '../database/database';
import { askRedis } from './ask-redis';
import { RedisUnavailable, untilReady } from './document-writer';
import { takeMark } from './revisions';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs scripts/raise-mark.lua. */
    raiseMark(key: string, mark: string, atLeast: string, channel: string): Result<unknown, Context>;
  }
}

/**
 * Takes a mark and raises that of Redis to it. To be called when Redis has answered that it has the documents. Resolves to the mark
 * that was taken. Rejects with `RedisUnavailable`, also if the connection was lost since the publication began.
 */
export type RaiseMark = (transaction: Transaction) => Promise<bigint>;

/**
 * The publication mark in Redis: a number beside the deployment's document that each publication raises before it commits. Redis
 * executes commands in order and loses the last ones first, so a Redis that has lost a publication has a lower mark.
 *
 * The mark is a new value of the sequence of revisions, taken after the documents are in Redis. The revision of the documents would not do:
 * it is taken before they are read. Of two publications at the same time, the one with the greater revision may be written first, and the
 * other could then be lost without a trace.
 */
export class PublicationMark {
  /**
   * Counts connections that were lost or made, to notice that documents and marks may have been written to what Redis was before it was
   * restarted.
   */
  connections = 0;

  constructor(private readonly redis: RedisClient) {
    const lua = readFileSync(join(__dirname, 'scripts', 'raise-mark.lua'), 'utf8');
    redis.defineCommand('raiseMark', { numberOfKeys: 1, lua });
    for (const event of ['close', 'ready']) {
      redis.on(event, () => {
        this.connections += 1;
      });
    }
  }

  /**
   * Begins a publication, before its first document is written. If Redis has lost publications, its mark stays as it is until
   * `LostPublications` has written them again.
   */
  async begin(): Promise<RaiseMark> {
    const connection = await this.connected();
    return async (transaction) => {
      const { mark, committed } = await takeMark(transaction);
      await this.raise(mark, committed, connection);
      return mark;
    };
  }

  /** Waits briefly for the connection; resolves to its number. Rejects with `RedisUnavailable`. */
  async connected(): Promise<number> {
    await askRedis(this.redis, () => untilReady(this.redis));
    return this.connections;
  }

  /** The mark in Redis, 0 if it has none; null if nothing is published. Rejects with `RedisUnavailable`. */
  async held(): Promise<bigint | null> {
    const [document, mark] = await askRedis(this.redis, () =>
      this.redis.hmget(publishedKeys.deployment, 'document', 'mark'),
    );
    if (!document) return null;
    return /^\d+$/.test(mark ?? '') ? BigInt(mark ?? '') : 0n;
  }

  /**
   * Raises the mark in Redis to this one, unless it is lower than `atLeast`. Rejects with `RedisUnavailable`, also if this is not the
   * connection any more.
   */
  async raise(mark: bigint, atLeast: bigint, connection: number): Promise<void> {
    if (connection !== this.connections) throw new RedisUnavailable(new Error('the connection was lost meanwhile'));
    await askRedis(this.redis, () =>
      this.redis.raiseMark(publishedKeys.deployment, String(mark), String(atLeast), publicationMarkChannel),
    );
  }
}
