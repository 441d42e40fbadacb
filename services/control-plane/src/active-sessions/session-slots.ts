import { Problem, type SubjectBuckets } from '@multi-drm/contracts';
import { isRedisUnavailable, type Logger, type RedisClient } from '@multi-drm/service-kit';
import {
  type ActiveSessionDetails,
  CountedSlots,
  EventBuffer,
  type FoundSession,
  largestPage,
  OrganizationStreams,
  RedisClock,
  RedisSlotStore,
  readRecord,
  type SessionReference,
  type SlotStore,
  slotKeys,
} from '@multi-drm/slots';

/** `Retry-After` in seconds while Redis is unreachable. */
const retrySeconds = 5;

/** What changes of a session while it is active. */
export interface ActiveState {
  expiresAt: Date;
  licenseRequests: number;
}

interface SessionSlotsOptions {
  redis: RedisClient;
  /** Reads the buckets of viewers. */
  buckets: () => Promise<SubjectBuckets>;
  /** The organization of an environment, and its plan's limit of streams; null for no limit. */
  organizationOf: ConstructorParameters<typeof CountedSlots>[1]['organizationOf'];
  /** How long the id of a session is remembered after its end: as long as at playback. */
  sessionIdRetentionSeconds: number;
  logger: Logger;
  /** Monotonic milliseconds since 1970, which may be off: Redis decides times. */
  processNow: () => number;
}

/** The active sessions that playback keeps in Redis. Every method throws `service_unavailable` while it cannot be reached. */
export class SessionSlots {
  private readonly slots: Pick<SlotStore, 'find' | 'listSubject' | 'release'>;
  private readonly redis: RedisClient;
  private readonly clock: RedisClock;
  private readonly streams: OrganizationStreams;
  private readonly eventBuffer: EventBuffer;
  private readonly readNewBuckets: () => Promise<SubjectBuckets>;

  constructor(options: SessionSlotsOptions) {
    const { redis, organizationOf, sessionIdRetentionSeconds, logger, processNow } = options;
    this.redis = redis;
    this.readNewBuckets = options.buckets;
    const clock = new RedisClock(processNow);
    this.clock = clock;
    this.eventBuffer = new EventBuffer(redis, null);
    const store = new RedisSlotStore(redis, {
      idempotentRepeatSeconds: 0, // nothing is reserved here
      sessionIdRetentionSeconds,
      clock,
      buckets: options.buckets,
      eventBytes: this.eventBuffer.bytesOfBucket,
    });
    this.streams = new OrganizationStreams(redis, clock);
    this.slots = new CountedSlots(store, {
      streams: this.streams,
      organizationOf,
      onFailure: (error) => logger.debug('could not count the streams of an organization', { error }),
    });
  }

  /**
   * What playback has of those of these sessions that are active, by reservation id. A read for each, because a list of 200 sessions may
   * have as many viewers.
   */
  async readActive(
    environmentId: string,
    sessions: { sessionId: string; subject: string; reservationId: string }[],
  ): Promise<Map<string, ActiveState>> {
    if (sessions.length === 0) return new Map();
    const { redis, clock } = this;
    const buckets = await this.readNewBuckets();
    const read = sessions.map(({ sessionId, subject }) =>
      redis.hgetBuffer(slotKeys(buckets, environmentId, subject).slots, sessionId),
    );
    const [, ...packed] = await reached(Promise.all([clock.synchronize(redis), ...read]));
    const records = packed.flatMap((bytes) => (bytes === null ? [] : [readRecord(bytes)]));
    const now = clock.now().getTime();
    const active = records.filter(({ expiresAt }) => expiresAt > now);
    return new Map(
      active.map(({ reservationId, expiresAt, licenseRequests }) => [
        reservationId,
        { expiresAt: new Date(expiresAt), licenseRequests },
      ]),
    );
  }

  /** The active sessions of a viewer, oldest first. */
  async listSubject(environmentId: string, subject: string): Promise<ActiveSessionDetails[]> {
    const page = await reached(this.slots.listSubject(environmentId, subject, { limit: largestPage }));
    return page.sessions;
  }

  /** How many streams an organization has, as its plan limits them. */
  async countStreams(organizationId: string): Promise<number> {
    const { clock, redis, streams } = this;
    return reached(clock.synchronize(redis).then(() => streams.count(organizationId)));
  }

  /** The state of a session. */
  async find(session: SessionReference): Promise<FoundSession> {
    return reached(this.slots.find(session));
  }

  /** Ends a session if it is active and has this reservation; null: whatever reservation it has. */
  async terminate(session: SessionReference & { reservationId: string | null }): Promise<void> {
    // Playback decides how much of Redis the event of this end may take.
    await reached(this.eventBuffer.refresh());
    await reached(this.slots.release({ ...session, reason: 'terminated' }));
  }
}

/** The result of a call that needs Redis. Throws `service_unavailable` while it cannot be reached. */
export async function reached<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!isRedisUnavailable(error)) throw error;
    const headers = { 'Retry-After': String(retrySeconds) };
    const detail = 'Active sessions cannot currently be read or ended. Try again later.';
    throw new Problem('service_unavailable', detail, { headers, cause: error });
  }
}
