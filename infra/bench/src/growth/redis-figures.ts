import { Redis } from 'ioredis';

/** What the servers of a Redis have done since they started, all together. */
interface RedisTotals {
  /** Received and sent. */
  networkBytes: number;
  /** User and system, of the main thread. */
  cpuMicroseconds: number;
  scriptCalls: number;
  scriptMicroseconds: number;
}

/** What Redis does for requests. */
export interface RedisFigures {
  /** Received and sent. */
  networkBytesPerRequest: number;
  /** Of processor time, network included. */
  cpuMicrosecondsPerRequest: number;
  scriptsPerRequest: number;
  microsecondsPerScript: number;
}

/** Makes totals, each from its name. */
const totalsOf = (make: (name: keyof RedisTotals) => number): RedisTotals => ({
  networkBytes: make('networkBytes'),
  cpuMicroseconds: make('cpuMicroseconds'),
  scriptCalls: make('scriptCalls'),
  scriptMicroseconds: make('scriptMicroseconds'),
});

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** Measures the servers of one Redis or of a cluster. */
export class MeasuredRedis {
  private readonly clients: Redis[];
  private idlePerSecond = totalsOf(() => 0);

  constructor(urls: readonly string[]) {
    this.clients = urls.map((url) => new Redis(url));
  }

  /** Bytes of memory in use. */
  async bytes(): Promise<number> {
    return sum(await this.infos('memory', (info) => Number(/^used_memory:(\d+)/m.exec(info)?.[1])));
  }

  /** Learns what happens without requests, such as sweeps, so that it does not count as theirs. */
  async measureIdle(wait: () => Promise<unknown>): Promise<void> {
    const { seconds, totals } = await this.during(wait);
    this.idlePerSecond = totalsOf((name) => totals[name] / seconds);
  }

  /** What `requests` requests take while `run` sends them. */
  async measure<Result>(requests: number, run: () => Promise<Result>): Promise<RedisFigures & { result: Result }> {
    const { seconds, totals, result } = await this.during(run);
    const of = (figure: keyof RedisTotals) => totals[figure] - this.idlePerSecond[figure] * seconds;
    return {
      result,
      networkBytesPerRequest: of('networkBytes') / requests,
      cpuMicrosecondsPerRequest: of('cpuMicroseconds') / requests,
      scriptsPerRequest: of('scriptCalls') / requests,
      microsecondsPerScript: of('scriptMicroseconds') / of('scriptCalls'),
    };
  }

  /** Processor time without requests, as a share of one core. */
  get idleShare(): number {
    return this.idlePerSecond.cpuMicroseconds / 1_000_000;
  }

  close(): void {
    for (const client of this.clients) client.disconnect();
  }

  private async during<Result>(
    run: () => Promise<Result>,
  ): Promise<{ seconds: number; totals: RedisTotals; result: Result }> {
    const [before, since] = [await this.totals(), performance.now()];
    const result = await run();
    const [after, seconds] = [await this.totals(), (performance.now() - since) / 1_000];
    return { result, seconds, totals: totalsOf((name) => after[name] - before[name]) };
  }

  private async totals(): Promise<RedisTotals> {
    const each = await this.infos('everything', (info) => {
      const user = Number(/^used_cpu_user_main_thread:([\d.]+)/m.exec(info)?.[1]);
      const system = Number(/^used_cpu_sys_main_thread:([\d.]+)/m.exec(info)?.[1]);
      const [, calls, microseconds] = /^cmdstat_evalsha:calls=(\d+),usec=(\d+)/m.exec(info) ?? ['', '0', '0'];
      const received = Number(/^total_net_input_bytes:(\d+)/m.exec(info)?.[1]);
      const sent = Number(/^total_net_output_bytes:(\d+)/m.exec(info)?.[1]);
      return {
        networkBytes: received + sent,
        cpuMicroseconds: (user + system) * 1_000_000,
        scriptCalls: Number(calls),
        scriptMicroseconds: Number(microseconds),
      };
    });
    return totalsOf((name) => sum(each.map((server) => server[name])));
  }

  private infos<Value>(section: string, read: (info: string) => Value): Promise<Value[]> {
    return Promise.all(this.clients.map(async (client) => read(await client.info(section))));
  }
}
