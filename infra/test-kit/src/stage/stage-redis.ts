import { type Cluster, Redis } from 'ioredis';
import { type NetworkLink, startNetworkLink } from '../servers/network-link';
import { startRedis, type TestRedis } from '../servers/suite-servers';

/** The Redis servers of a stage. */
export interface StageRedis {
  /** The settings of a service that uses them. */
  settings: Record<string, string>;
  /** Connects to those that hold the slots now, not through a link. The caller disconnects. */
  connect(): Redis | Cluster;
  close(): Promise<void>;
}

/** One Redis behind a link. It keeps its data across restarts. */
export class LinkedRedis implements StageRedis {
  private constructor(
    private readonly server: TestRedis,
    /** All connections of the services use it, unless they connect directly. */
    readonly link: NetworkLink,
    readonly settings: Record<string, string>,
  ) {}

  /**
   * `withoutLink`: the services connect directly, because the link runs in this process and would affect the measurement.
   * `environment`: of Redis; by default that of this process.
   */
  static async start(withoutLink = false, environment?: NodeJS.ProcessEnv): Promise<LinkedRedis> {
    const server = await startRedis({ appendOnly: true, environment });
    const link = await startNetworkLink(server.url);
    return new LinkedRedis(server, link, { REDIS_URL: withoutLink ? server.url : link.url });
  }

  /** Without the link. */
  get url() {
    return this.server.url;
  }

  get process() {
    return this.server.process;
  }

  start(): Promise<void> {
    return this.server.start();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /** Copies the data. Returns a function that stops Redis and starts it with the copy, once. */
  copy(): () => Promise<void> {
    return this.server.copy();
  }

  connect(): Redis {
    return new Redis(this.url);
  }

  async close(): Promise<void> {
    await this.link.close();
    await this.server.stop();
  }
}
