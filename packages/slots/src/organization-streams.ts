import { atMost, portions } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { activeMember } from './keys';
import type { RedisClock } from './redis-clock';
import type { SessionReference } from './slot-store';

/** Seconds; longer than any session, so that keys do not outlive their streams for long. */
const streamsLifetimeSeconds = 2 * 86_400;

/** Seconds for which an environment without new sessions is still recounted; longer than any session. */
const environmentsLifetimeSeconds = 7 * 86_400;

/** Milliseconds after which a process records an active environment again, because Redis may have lost it. */
const recordInterval = 3_600_000;

/** The minimum time between recounts of an organization by any process, in milliseconds. */
const recountInterval = 60_000;

/** The number of streams that one command removes. */
const membersAtOnce = 500;

/** The member of a session in its organization's streams. */
export function streamMember({ environmentId, sessionId, subject }: SessionReference): string {
  return `${environmentId}:${activeMember(sessionId, subject)}`;
}

/** Returns the environment of a stream. */
export function environmentOfStream(member: string): string {
  return member.slice(0, member.indexOf(':'));
}

/**
 * The streams of organizations, one sorted set each: {@link streamMember} → expiresAt in milliseconds since 1970. One command counts them,
 * however many environments they are in. The slots have the hash tags of their viewers, so no script can change them and this set in one
 * step. The set is written after the slots, and lacks what a process did not write before it died, until a recount corrects it. All keys of
 * an organization share its hash tag.
 */
export class OrganizationStreams {
  /** Environments that this process has recorded. */
  private readonly recorded = new LRUCache<string, true>({ ...atMost(100_000), ttl: recordInterval });

  constructor(
    private readonly client: Redis | Cluster,
    private readonly clock: RedisClock,
  ) {}

  /** Includes an environment in recounts; to be called before a session starts there. Resolves when written to Redis. */
  async noteEnvironment(organizationId: string, environmentId: string): Promise<void> {
    if (this.recorded.has(environmentId)) return;
    this.recorded.set(environmentId, true);
    const key = environmentsKey(organizationId);
    try {
      await Promise.all([this.client.sadd(key, environmentId), this.client.expire(key, environmentsLifetimeSeconds)]);
    } catch (error) {
      this.recorded.delete(environmentId);
      throw error;
    }
  }

  /** Returns the environments that recounts include. */
  environmentsOf(organizationId: string): Promise<string[]> {
    return this.client.smembers(environmentsKey(organizationId));
  }

  /** Excludes an environment from recounts until a session starts there again. */
  async forgetEnvironment(organizationId: string, environmentId: string): Promise<void> {
    this.recorded.delete(environmentId);
    await this.client.srem(environmentsKey(organizationId), environmentId);
  }

  /** Adds streams or extends them. `expiresAt`: milliseconds since 1970. */
  async add(organizationId: string, streams: { member: string; expiresAt: number }[]): Promise<void> {
    if (streams.length === 0) return;
    const key = streamsKey(organizationId);
    await Promise.all([
      // Ends only move forward: a later one that was written in the meantime is kept.
      this.client.zadd(key, 'GT', ...streams.flatMap(({ member, expiresAt }) => [expiresAt, member])),
      this.client.expire(key, streamsLifetimeSeconds),
    ]);
  }

  /** Sets the end of an existing stream. One that was removed in the meantime is not added again. */
  async extend(organizationId: string, member: string, expiresAt: number): Promise<void> {
    await this.client.zadd(streamsKey(organizationId), 'XX', expiresAt, member);
  }

  async remove(organizationId: string, members: string[]): Promise<void> {
    // In portions, because one session may replace very many.
    for (const batch of portions(members, membersAtOnce)) await this.client.zrem(streamsKey(organizationId), ...batch);
  }

  /** Returns the organization's current number of streams. */
  count(organizationId: string): Promise<number> {
    return this.client.zcount(streamsKey(organizationId), `(${this.clock.now().getTime()}`, '+inf');
  }

  /** Returns whether a session is counted. */
  async includes(organizationId: string, session: SessionReference): Promise<boolean> {
    const expiresAt = await this.client.zscore(streamsKey(organizationId), streamMember(session));
    return Number(expiresAt ?? 0) > this.clock.now().getTime();
  }

  /** Returns all streams with their ends, including expired ones that were not removed yet. */
  async all(organizationId: string): Promise<Map<string, number>> {
    const streams = new Map<string, number>();
    let cursor = '0';
    do {
      // In pages, so that no other request waits for a long reply.
      const [next, reply] = await this.client.zscan(streamsKey(organizationId), cursor, 'COUNT', 1_000);
      for (let i = 0; i + 1 < reply.length; i += 2) streams.set(reply[i] ?? '', Number(reply[i + 1]));
      cursor = next;
    } while (cursor !== '0');
    return streams;
  }

  /** Returns whether a recount is due: true for one caller among all processes, which must then do it. */
  async claimRecount(organizationId: string): Promise<boolean> {
    return (await this.client.set(recountedKey(organizationId), '1', 'PX', recountInterval, 'NX')) === 'OK';
  }
}

const environmentsKey = (organizationId: string) => `organization-environments:{${organizationId}}`;
const streamsKey = (organizationId: string) => `organization-streams:{${organizationId}}`;
const recountedKey = (organizationId: string) => `organization-streams-recounted:{${organizationId}}`;
