import { randomUUID } from 'node:crypto';
import { CountedSlots } from '../counted-slots';
import { OrganizationStreams } from '../organization-streams';
import { OrganizationUsage } from '../organization-usage';
import { RedisClock } from '../redis-clock';
import type { ReserveRequest, SlotStore } from '../slot-store';
import { StreamRecount } from '../stream-recount';
import { buckets } from './subject-buckets';
import { expectOutcome, storeOn, type TestClient } from './test-store';

/** The slots and usage of one process. */
interface Process {
  usage: OrganizationUsage;
  slots: SlotStore;
  /** Reserves a session as a create does; resolves when the background writes are done. */
  start(request: ReserveRequest): Promise<void>;
  /** Returns whether another session in the environment would exceed the limit. */
  isFull(session: { environmentId: string }): Promise<boolean>;
}

/** A deployment with one organization: its processes, whose clock is the test's, and what they do in the background. */
export class Deployment {
  organization: { organizationId: string; maximumConcurrentStreams: number | null } = {
    organizationId: randomUUID(),
    maximumConcurrentStreams: 1,
  };
  /** Environments that are archived. */
  readonly archived = new Set<string>();
  /** The monotonic time of every process. */
  time = 50_000;
  readonly failures: unknown[] = [];
  /** Organizations that were counted and recounted. */
  counted: string[] = [];
  recounted: string[] = [];
  /** What reading a count waits for, or the error that it fails with. */
  gate: Promise<void> = Promise.resolve();
  /** The same for claiming a recount. */
  claimGate: Promise<void> = Promise.resolve();
  /** What a recount does instead of its work. */
  recountGate: Promise<void> | null = null;
  /** Pending calls of Redis and counts. */
  private underWay = 0;

  private constructor(
    private readonly client: TestClient,
    /** All decisions use the time of Redis; the processes' own clocks are an hour behind. */
    readonly clock: RedisClock,
  ) {}

  static on(client: TestClient): Deployment {
    const clock = new RedisClock(() => Date.now() - 3_600_000);
    // The tests' Redis reads the clock of this machine, so that this reply has no delay.
    clock.beginCall()(new Date());
    return new Deployment(client, clock);
  }

  startProcess(): Process {
    const { client, clock } = this;
    const onFailure = (error: unknown) => this.failures.push(error);
    const streams = new OrganizationStreams(this.following(client), clock);
    const isPublished = async (id: string) => !this.archived.has(id);
    const recount = new StreamRecount({ client, clock, streams, buckets: () => buckets, isPublished });
    const usage = new OrganizationUsage({
      streams: {
        noteEnvironment: (...values) => streams.noteEnvironment(...values),
        includes: (...values) => streams.includes(...values),
        claimRecount: (id) => this.claimGate.then(() => streams.claimRecount(id)),
        count: (id) => {
          this.counted.push(id);
          return this.followed(this.gate.then(() => streams.count(id)));
        },
      },
      recount: (id) => {
        this.recounted.push(id);
        return this.recountGate ?? this.followed(recount.run(id));
      },
      // On a machine under load, a recount may take long.
      recountPatience: this.recountGate === null ? 60_000 : 10,
      now: () => this.time,
      onFailure,
    });
    const slots = new CountedSlots(storeOn(client), {
      streams,
      organizationOf: async () => this.organization,
      onFailure,
    });
    return {
      usage,
      slots,
      start: async (request) => {
        expectOutcome(await slots.reserve(request), 'reserved');
        usage.countOne(this.organization);
        await this.settled();
      },
      isFull: ({ environmentId }) => usage.isFull(this.organization, environmentId),
    };
  }

  /** Resolves when all background work is done. */
  async settled(): Promise<void> {
    do {
      await this.client.ping();
      // Work that follows a reply has started by now.
      await new Promise(setImmediate);
    } while (this.underWay > 0);
  }

  /** The number of written streams, or of those left after this many milliseconds. */
  async streamsNow(later = 0): Promise<number> {
    await this.settled();
    const laterClock = new RedisClock(() => this.clock.now().getTime() + later);
    return new OrganizationStreams(this.client, laterClock).count(this.organization.organizationId);
  }

  /** Makes the next count do a recount, as if a minute had passed since the last one. */
  async passMinute(): Promise<void> {
    await this.client.del(`organization-streams-recounted:{${this.organization.organizationId}}`);
  }

  /** Does a recount, in an environment in which no session starts; resolves when it is done. */
  async recountNow(): Promise<void> {
    await this.passMinute();
    await this.startProcess().isFull({ environmentId: randomUUID() });
    await this.settled();
  }

  /** Follows a call, so that `settled` waits for it. */
  async followed<Result>(call: Promise<Result>): Promise<Result> {
    this.underWay += 1;
    try {
      return await call;
    } finally {
      this.underWay -= 1;
    }
  }

  /** Wraps an object so that its calls are followed. */
  private following<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => this.followed(Promise.resolve(Reflect.apply(member, target, values)));
      },
    });
  }
}
