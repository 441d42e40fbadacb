import type { Pool } from 'pg';
import { Pause } from '../publishing/pause';
import type { DueEndpoint } from './due-endpoints';
import type { DueRange } from './due-range';
import { EndpointLeases, type LeasedEndpoint, leaseMilliseconds } from './endpoint-leases';
import { EndpointWorker, type WorkerOptions } from './endpoint-worker';

/** How often leases are renewed: an endpoint that is changed or disabled is so here by then. */
const renewMilliseconds = 3_000;

/** How long a lease is kept while nothing is due, so that an endpoint with some events a second does not change hands for each. */
const idleMilliseconds = 10_000;

/** How many leases a process has at most, and takes in a row: others are looking, too. */
const mostHeld = 512;
const takenAtOnce = 32;

interface Held {
  worker: EndpointWorker;
  /** Monotonic milliseconds; undefined: it is busy. */
  idleSince: number | undefined;
}

/** The endpoints whose leases this process holds, each with a worker. */
export class HeldEndpoints {
  private readonly leases: EndpointLeases;
  private readonly held = new Map<string, Held>();
  private renewedAt: number;

  /** `owner`: a random id of this process. */
  constructor(
    pool: Pool,
    owner: string,
    private readonly options: WorkerOptions,
  ) {
    this.leases = new EndpointLeases(pool, owner);
    this.renewedAt = options.monotonicNow();
  }

  /** Renews the leases, unless that was done lately. Those that are disabled, or that others hold, are let go. */
  async renew(): Promise<void> {
    const now = this.options.monotonicNow();
    if (now < this.renewedAt + renewMilliseconds) return;
    const renewed = await this.leases.renew([...this.held.keys()]);
    this.renewedAt = now;
    const current = new Map(renewed.map((endpoint) => [endpoint.id, endpoint]));
    for (const [id, { worker }] of this.held) {
      const endpoint = current.get(id);
      if (endpoint !== undefined) worker.renewed(endpoint, now + leaseMilliseconds);
    }
    await this.giveUp([...this.held.keys()].filter((id) => !current.has(id)));
  }

  /** The ids of endpoints to which this process is sending. */
  get busy(): string[] {
    return [...this.held].filter(([, { worker }]) => worker.isBusy).map(([id]) => id);
  }

  /** Takes leases of endpoints at which something is due of some days, and has all of them send that this process holds. */
  async send(due: readonly DueEndpoint[], range: DueRange): Promise<void> {
    const room = Math.min(takenAtOnce, mostHeld - this.held.size);
    const free = due.map(({ id }) => id).filter((id) => !this.held.has(id));
    const now = this.options.monotonicNow();
    for (const endpoint of await this.leases.take(free, room)) this.hold(endpoint, now + leaseMilliseconds);
    for (const { id } of due) this.held.get(id)?.worker.run(range);
  }

  /** Gives up the leases of endpoints at which nothing has been due for a while. */
  async giveUpIdle(): Promise<void> {
    const now = this.options.monotonicNow();
    const idle: string[] = [];
    for (const [id, held] of this.held) {
      held.idleSince = held.worker.isIdle ? (held.idleSince ?? now) : undefined;
      if (held.idleSince !== undefined && held.idleSince + idleMilliseconds <= now) idle.push(id);
    }
    await this.giveUp(idle);
  }

  /** What the attempts since the last call have shown. `gone`: shown until the lease is given up. */
  takeHealth(): { succeeded: string[]; failed: string[]; gone: string[] } {
    const health = { succeeded: [] as string[], failed: [] as string[], gone: [] as string[] };
    for (const [id, { worker }] of this.held) {
      const outcome = worker.takeHealth();
      if (outcome !== undefined) health[outcome].push(id);
      if (worker.isGone) health.gone.push(id);
    }
    return health;
  }

  /** Sends nothing more to some endpoints, and leaves them to others. */
  async giveUp(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      void this.held.get(id)?.worker.stop();
      this.held.delete(id);
    }
    await this.leases.giveUp(ids);
  }

  /** Sends nothing more. Resolves once nothing is under way, or after some milliseconds: then that counts as not sent. */
  async stop(milliseconds: number): Promise<void> {
    const workers = [...this.held.values()].map(({ worker }) => worker);
    const pause = new Pause();
    const waited = pause.wait(milliseconds);
    void Promise.all(workers.map((worker) => worker.stop())).then(() => pause.end());
    await waited;
    for (const worker of workers) worker.cutOff();
  }

  /** Gives up all leases. */
  async giveUpAll(): Promise<void> {
    await this.giveUp([...this.held.keys()]);
  }

  private hold(endpoint: LeasedEndpoint, leasedUntil: number): void {
    this.held.set(endpoint.id, {
      worker: new EndpointWorker(endpoint, leasedUntil, this.options),
      idleSince: undefined,
    });
  }
}
