import type { BoundedPool } from '../database/connection-pool';
import { Pause } from '../publishing/pause';
import type { DueEndpoint } from './due-endpoints';
import type { DueRange } from './due-range';
import { EndpointLeases, type LeasedEndpoint, leaseMilliseconds } from './endpoint-leases';
import { EndpointWorker, type WorkerOptions } from './endpoint-worker';
import { countByOrganization, inTurns, leasesToLeave } from './lease-turns';

/** How often leases are renewed: an endpoint that is changed or disabled is so here by then. */
const renewMilliseconds = 3_000;

/** How long a lease is kept while nothing is due, so that an endpoint with some events a second does not change hands for each. */
const idleMilliseconds = 10_000;

/** How many leases a process has at most, and takes in a row: others are looking, too. */
const maximumHeld = 512;
const takenAtOnce = 32;

interface Held {
  worker: EndpointWorker;
  organizationId: string;
  /** Monotonic milliseconds. */
  since: number;
  /** Whether the lease is left to another endpoint, once what is under way has ended. */
  isLeaving: boolean;
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
    pool: BoundedPool,
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
    const free = due.filter(({ id, isLeased }) => !isLeased && !this.held.has(id));
    const waiting = inTurns(free, countByOrganization([...this.held.values()]));
    const room = maximumHeld - this.held.size;
    const now = this.options.monotonicNow();
    const taken = await this.leases.take(
      waiting.map(({ id }) => id),
      Math.min(takenAtOnce, room),
    );
    for (const endpoint of taken) this.hold(endpoint, now);
    this.leaveSome(waiting.slice(room, takenAtOnce));
    for (const { id } of due) this.held.get(id)?.worker.run(range);
  }

  /** Has some endpoints leave their leases to others that wait: first those at which nothing is due, then those that send nothing. */
  private leaveSome(waiting: readonly { before: number }[]): void {
    const staying = [...this.held].flatMap(([id, held]) => (held.isLeaving ? [] : [{ id, ...held }]));
    const others = waiting.slice(this.held.size - staying.length);
    const idle = staying.filter(({ idleSince }) => idleSince !== undefined).slice(0, others.length);
    const busy = staying.filter(({ idleSince }) => idleSince === undefined);
    // One that has sent something stays until that has ended.
    const quickFirst = [false, true].flatMap((isSending) =>
      busy.filter(({ worker }) => worker.isSending === isSending),
    );
    const ids = leasesToLeave(quickFirst, others.slice(idle.length), this.options.monotonicNow());
    for (const id of [...idle.map((each) => each.id), ...ids]) {
      const held = this.held.get(id);
      if (held === undefined) continue;
      held.isLeaving = true;
      void held.worker.stop();
    }
  }

  /** Gives up the leases of endpoints at which nothing has been due for a while, and of those that leave theirs to others. */
  async giveUpIdle(): Promise<void> {
    const now = this.options.monotonicNow();
    const idle: string[] = [];
    for (const [id, held] of this.held) {
      held.idleSince = held.worker.isIdle ? (held.idleSince ?? now) : undefined;
      const isIdle = held.idleSince !== undefined && held.idleSince + idleMilliseconds <= now;
      if (isIdle || (held.isLeaving && held.worker.hasFinished)) idle.push(id);
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

  /** `now`: monotonic milliseconds. */
  private hold(endpoint: LeasedEndpoint, now: number): void {
    this.held.set(endpoint.id, {
      worker: new EndpointWorker(endpoint, now + leaseMilliseconds, this.options),
      organizationId: endpoint.organizationId,
      since: now,
      isLeaving: false,
      idleSince: undefined,
    });
  }
}
