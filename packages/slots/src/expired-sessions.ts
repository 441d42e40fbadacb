import type { SubjectBuckets } from '@multi-drm/contracts';
import { portions } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import { bucketKeys, expiringKey, foundKeys, readActiveMember } from './keys';
import type { RedisClock } from './redis-clock';
import { meaningOf } from './return-codes';
import { defineSweepCommand } from './slot-commands';

/** How many sessions one script ends. Each takes up to 50 microseconds, during which Redis serves nobody else. */
const sessionsAtOnce = 50;

/** How many environments of a bucket one round looks at. */
const environmentsAtOnce = 100;

/** How many scripts are sent together; Redis may run them one after the other. */
const scriptsAtOnce = 4;

interface ExpiredSessionsOptions {
  client: Redis | Cluster;
  clock: RedisClock;
  /** How long an id is remembered after its session's `expiresAt`. */
  sessionIdRetentionSeconds: number;
  /** How many bytes the list of events of one bucket may take now; 0: ends are not appended. */
  eventBytes: () => number;
  /** Called if part of a sweep has failed. The sweep continues, because other primaries of a cluster may be reachable. */
  onFailure: (error: unknown) => void;
}

interface Place {
  environmentId: string;
  bucket: number;
}

/**
 * Removes the records of expired sessions, and remembers their ids, which takes a fraction of the memory. Nothing else depends on it: an
 * expired session holds no slot, whether it was swept or not. Several processes may run it at the same time.
 */
export class ExpiredSessions {
  constructor(private readonly options: ExpiredSessionsOptions) {
    defineSweepCommand(options.client);
  }

  /** Sweeps some buckets once: up to 50 sessions of each environment in each bucket. What is left waits for the next time. */
  async sweep(swept: number[], buckets: SubjectBuckets): Promise<void> {
    const places = await Promise.all(swept.map((bucket) => this.try(() => this.placesToSweep(bucket))));
    for (const batch of portions(
      places.flatMap((found) => found ?? []),
      scriptsAtOnce,
    )) {
      await Promise.all(batch.map((place) => this.try(() => this.sweepEnvironment(place, buckets))));
    }
  }

  private async placesToSweep(bucket: number): Promise<Place[]> {
    const environmentIds = await this.expiredMembers(expiringKey(bucket), environmentsAtOnce);
    return environmentIds.map((environmentId) => ({ environmentId, bucket }));
  }

  /** Sweeps one environment in one bucket once; rejects if that fails. */
  async sweepEnvironment({ environmentId, bucket }: Place, buckets: SubjectBuckets): Promise<void> {
    const { client, sessionIdRetentionSeconds, eventBytes } = this.options;
    const { active, expiring, events, droppedEvents } = bucketKeys(environmentId, bucket);
    const members = await this.expiredMembers(active, sessionsAtOnce);
    const sessionKeys = members.flatMap((member) => {
      const { slots, ended } = foundKeys(buckets, environmentId, readActiveMember(member).subject, bucket);
      return [slots, ended];
    });
    const keys = [active, expiring, events, droppedEvents, ...sessionKeys];
    const values = [environmentId, sessionIdRetentionSeconds * 1000, eventBytes(), ...members];
    meaningOf('sweep', await client.sweepSlots(keys.length, ...keys, ...values));
  }

  private expiredMembers(key: string, most: number): Promise<string[]> {
    return this.options.client.zrangebyscore(key, '-inf', this.options.clock.now().getTime(), 'LIMIT', 0, most);
  }

  private async try<Result>(part: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await part();
    } catch (error) {
      this.options.onFailure(error);
      return undefined;
    }
  }
}
