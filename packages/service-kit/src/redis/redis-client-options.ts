import type { Logger } from '../logger';
import type { RedisServers } from './redis-servers';

export interface RedisClientOptions {
  servers: RedisServers;
  /** Sent to Redis (CLIENT SETNAME) and logged. */
  name: string;
  logger: Logger;
  /**
   * Timeout of each command once it is sent, in milliseconds; on a cluster, with all redirections. With automatic
   * pipelining, a command may wait as long again for the previous pipeline.
   */
  commandTimeout?: number;
}
