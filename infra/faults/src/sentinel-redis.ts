import { setTimeout as sleep } from 'node:timers/promises';
import {
  type RedisServer,
  startRedisSentinel,
  type TestRedisSentinel,
  type TestSentinelOptions,
} from '@multi-drm/test-kit';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { Redis } from 'ioredis';

/** A primary with replicas, one of which a Sentinel promotes when the primary has been silent for a second and a half. */
export class SentinelRedis implements StageRedis {
  /** The server that accepts writes. */
  private primary: RedisServer;

  private constructor(private readonly servers: TestRedisSentinel) {
    this.primary = servers.primary;
  }

  static async start(options: Pick<TestSentinelOptions, 'directives' | 'behindLink'> = {}): Promise<SentinelRedis> {
    // With one, the promoted server would have no replica, and accept no writes if it needs one.
    return new SentinelRedis(await startRedisSentinel({ promotesAfterMilliseconds: 1_500, replicas: 2, ...options }));
  }

  get settings(): Record<string, string> {
    return this.servers.settings;
  }

  /** Delivers nothing more between the primary and its replicas; everybody else still reaches it. Needs the link. */
  cutOffReplicas(): void {
    // With this word a replica introduces itself.
    this.servers.link?.silence('listening-port');
  }

  killPrimary(): void {
    this.servers.primary.child.process.kill('SIGKILL');
  }

  /** Resolves as soon as a former replica accepts writes. */
  async promoted(): Promise<void> {
    const { replicas, ask } = this.servers;
    for (;;) {
      for (const replica of replicas) {
        if (!(await ask(replica, 'SET written-after-promotion 1')).startsWith('+OK')) continue;
        this.primary = replica;
        return;
      }
    }
  }

  /** Resolves as soon as the Sentinel names the promoted server to clients: up to a second later, when it has asked it for its role. */
  async named(): Promise<void> {
    const { sentinel, settings, ask } = this.servers;
    const question = `SENTINEL GET-MASTER-ADDR-BY-NAME ${settings.REDIS_PRIMARY_NAME}`;
    while (!(await ask(sentinel, question)).includes(`\r\n${this.primary.port}\r\n`)) await sleep(5);
  }

  connect(): Redis {
    return new Redis(this.primary.url);
  }

  connectToReplicas(): Redis[] {
    return this.servers.replicas.map(({ url }) => new Redis(url));
  }

  async close(): Promise<void> {
    await this.servers.link?.close();
    await this.servers.stop();
  }
}
