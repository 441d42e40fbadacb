import type { SubjectBuckets } from '@multi-drm/contracts';
import { FailureLog, type Logger, type RedisClient } from '@multi-drm/service-kit';
import { EventBuffer, OrganizationStreams, RedisClock, RedisSlotStore, readTime, UnreadEvents } from '@multi-drm/slots';
import type { BoundedPool } from '../database/connection-pool';
import { Pause } from '../publishing/pause';
import { EntryStore } from './entry-store';
import { Erasures } from './erasures';
import { EventGaps } from './event-gaps';
import { EventOutbox } from './event-outbox';
import { EventPartitions } from './event-partitions';
import { createEventPool } from './event-pool';
import { EventReader } from './event-reader';
import { OpenSessions } from './open-sessions';
import { partOfRound } from './part-of-round';
import { RedisGeneration } from './redis-generation';
import { RepeatedWork } from './repeated-work';
import { StreamLimitEvents } from './stream-limit-events';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long playback remembers ids by default, and at least: the longest session. */
const sessionIdRetentionSeconds = 86_400;

/** How many rounds a caller waits for, and the milliseconds between them, in which another reader may be storing the same entries. */
const roundsNow = 5;
const pauseNow = 50;

/** How many times sessions are looked up in one round, if many are due. */
const maximumLooks = 10;

/** What of the events is counted. */
export interface EventCounters {
  stored(count: number): void;
  setAside(count: number): void;
  dropped(count: number): void;
}

interface EventTaskOptions {
  connectionString: string;
  /** A client of `createRedisClient`; its creator closes it after `stop()`. */
  redis: RedisClient;
  readBuckets: () => Promise<SubjectBuckets>;
  /** How many days events are kept. */
  eventDays: number;
  logger: Logger;
  counters: EventCounters;
  /** Monotonic milliseconds. */
  monotonicNow: () => number;
}

/** Everything that a control plane does for events besides answering calls. Any number of instances may run at the same time. */
export class EventTask {
  readonly partitions: EventPartitions;
  readonly unread: UnreadEvents;
  private readonly pool: BoundedPool;
  private readonly reader: EventReader;
  private readonly erasures: Erasures;
  /** Beside the reader, because a viewer may have more rows than one moment can change, and partitions may wait for others. */
  private readonly works: RepeatedWork[];

  constructor(private readonly options: EventTaskOptions) {
    const { connectionString, redis, readBuckets, eventDays, logger, counters, monotonicNow } = options;
    const pool = createEventPool(connectionString, logger);
    const unread = new UnreadEvents(redis);
    const partitions = new EventPartitions({ pool, connectionString, eventDays, logger });
    const outbox = new EventOutbox(pool);
    const openSessions = new OpenSessions({ pool, redis, readBuckets, sessionIdRetentionSeconds });
    const buffer = new EventBuffer(redis, null);
    const idempotentRepeatSeconds = 0; // nothing is reserved here
    const eventBytes = buffer.bytesOfBucket;
    const slots = new RedisSlotStore(redis, {
      idempotentRepeatSeconds,
      sessionIdRetentionSeconds,
      buckets: readBuckets,
      eventBytes,
    });
    const clock = new RedisClock(monotonicNow);
    const streams = new OrganizationStreams(redis, clock);
    const failures = new FailureLog({ logger, processNow: monotonicNow });
    const erasures = new Erasures({
      pool,
      slots,
      streams,
      redisNow: () => readTime(redis),
      monotonicNow,
      onFailed: (error) => failures.note('an erasure cannot be completed', error),
    });
    const countStreams = (organizationId: string) => clock.synchronize(redis).then(() => streams.count(organizationId));
    const limitEvents = new StreamLimitEvents({ pool, countStreams });
    const generation = new RedisGeneration(redis);
    const gaps = new EventGaps({ pool, unread, now: monotonicNow });
    const part = (name: string, milliseconds: number, work: () => Promise<unknown>) =>
      partOfRound({ name, milliseconds, work, logger, now: monotonicNow });
    const addPartitions = part('adding partitions for events', hour, () => partitions.add());
    // Side by side: none waits for another one.
    const otherParts = [
      part('announcing that limits of streams are near', second, () => limitEvents.announce()),
      part('storing events of changes', second, () => outbox.move()),
      part('dropping old events of changes', minute, async () => counters.dropped(await outbox.dropOld())),
      part('storing gaps of events', 10 * second, async () => counters.dropped(await gaps.store())),
      part('looking for sessions that are open', 5 * second, async () => {
        if (await generation.hasChanged()) await openSessions.suspectAll();
        for (let times = 0; times < maximumLooks && (await openSessions.lookUp()); ) times += 1;
      }),
    ];
    this.reader = new EventReader({
      unread,
      entries: new EntryStore(pool, readBuckets),
      logger,
      beforeEachRound: addPartitions,
      afterEachRound: async () => {
        await Promise.all(otherParts.map((work) => work()));
      },
      onStored: ({ events, setAside, startedIn }) => {
        limitEvents.noteStarts(startedIn);
        counters.stored(events);
        counters.setAside(setAside);
      },
    });
    this.works = [
      {
        name: 'erasing viewers',
        work: () => buffer.refresh().then(() => erasures.run()),
        milliseconds: second,
      },
      { name: 'removing old events', work: () => this.removeOld(), milliseconds: hour, firstAfter: minute },
    ].map((work) => new RepeatedWork({ ...work, logger }));
    this.erasures = erasures;
    this.pool = pool;
    this.partitions = partitions;
    this.unread = unread;
  }

  start(): void {
    this.reader.start();
    for (const work of this.works) work.start();
  }

  /**
   * Stores what playback has reported until now, also where this task was not started. Leaves the rest of a long backlog to the readers.
   * Rejects if Redis or PostgreSQL is unavailable.
   */
  async readNow(): Promise<void> {
    for (let round = 0; round < roundsNow && (await this.reader.readOnce()); round += 1) {
      await new Pause().wait(pauseNow);
    }
  }

  /** Resolves when what is under way is done; the rest stays in Redis. */
  async stop(): Promise<void> {
    this.erasures.stop();
    await Promise.all([this.reader.stop(), this.partitions.stop(), ...this.works.map((work) => work.stop())]);
    await this.pool.end();
  }

  /** Resolves to the milliseconds until the next time. */
  private async removeOld(): Promise<number> {
    try {
      await this.partitions.removeOld();
      return hour;
    } catch (error) {
      // Another instance may have removed the same at this moment; what is left is found the next time.
      this.options.logger.debug('old events cannot be removed at the moment', { error });
      return minute;
    }
  }
}
