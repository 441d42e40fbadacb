import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { liveMember } from './keys';
import type { RedisClock } from './redis-clock';
import type { SessionReference } from './slot-store';

/** For longer than a session can live, so that no key outlives its streams for long. Seconds. */
const streamsLifetimeSeconds = 2 * 86_400;

/** How long an environment in which nothing starts is looked at. Longer than a session can live. Seconds. */
const environmentsLifetimeSeconds = 7 * 86_400;

/** How often, in milliseconds, a process tells again that an environment starts sessions: Redis may have lost it. */
const toldInterval = 3_600_000;

/** How far apart, in milliseconds, the recounts of an organization lie at least, whichever process makes them. */
const recountInterval = 60_000;

/** Streams that one command removes. */
const membersAtOnce = 500;

/** What a session is called among its organization's streams. */
export function streamMember({ environmentId, sessionId, subject }: SessionReference): string {
  return `${environmentId}:${liveMember(sessionId, subject)}`;
}

/** The environment of a stream. */
export function environmentOfStream(member: string): string {
  return member.slice(0, member.indexOf(':'));
}

/**
 * The streams of organizations, each organization's in one sorted set: {@link streamMember} → expiresAt, in milliseconds since
 * 1970. So they are counted in one command, however many environments they are in. The slots themselves lie under the hash tags
 * of their viewers, out of reach of a script, so this set is written behind them and may miss what a process that dies has
 * not written; a recount puts it right. All keys of an organization share its hash tag.
 */
export class OrganizationStreams {
  /** Environments that this process has told of. */
  private readonly told = new LRUCache<string, true>({ max: 100_000, ttl: toldInterval });

  constructor(
    private readonly client: Redis | Cluster,
    private readonly clock: RedisClock,
  ) {}

  /** Has recounts look at an environment; to be called before a session starts there. Resolves when Redis knows. */
  async noteEnvironment(organizationId: string, environmentId: string): Promise<void> {
    if (this.told.has(environmentId)) return;
    this.told.set(environmentId, true);
    const key = environmentsKey(organizationId);
    try {
      await Promise.all([this.client.sadd(key, environmentId), this.client.expire(key, environmentsLifetimeSeconds)]);
    } catch (error) {
      this.told.delete(environmentId);
      throw error;
    }
  }

  /** The environments that recounts look at. */
  environmentsOf(organizationId: string): Promise<string[]> {
    return this.client.smembers(environmentsKey(organizationId));
  }

  /** Has recounts look at an environment no more, until a session starts there again. */
  async forgetEnvironment(organizationId: string, environmentId: string): Promise<void> {
    this.told.delete(environmentId);
    await this.client.srem(environmentsKey(organizationId), environmentId);
  }

  /** Adds streams, or moves their ends. `expiresAt`: milliseconds since 1970. */
  async add(organizationId: string, streams: { member: string; expiresAt: number }[]): Promise<void> {
    if (streams.length === 0) return;
    const key = streamsKey(organizationId);
    await Promise.all([
      // Ends move forward alone: a later one that was written meanwhile stays.
      this.client.zadd(key, 'GT', ...streams.flatMap(({ member, expiresAt }) => [expiresAt, member])),
      this.client.expire(key, streamsLifetimeSeconds),
    ]);
  }

  /** Moves the end of a stream that is there. One that was removed meanwhile stays away. */
  async extend(organizationId: string, member: string, expiresAt: number): Promise<void> {
    await this.client.zadd(streamsKey(organizationId), 'XX', expiresAt, member);
  }

  async remove(organizationId: string, members: string[]): Promise<void> {
    // One session may take the place of very many: others come in between.
    for (let first = 0; first < members.length; first += membersAtOnce) {
      await this.client.zrem(streamsKey(organizationId), ...members.slice(first, first + membersAtOnce));
    }
  }

  /** How many streams an organization has now. */
  count(organizationId: string): Promise<number> {
    return this.client.zcount(streamsKey(organizationId), `(${this.clock.now().getTime()}`, '+inf');
  }

  /** All streams, also those that have expired and were not dropped yet, with their ends. */
  async all(organizationId: string): Promise<Map<string, number>> {
    const streams = new Map<string, number>();
    let cursor = '0';
    do {
      // Page by page, so that no other request waits for a long reply to be read.
      const [next, reply] = await this.client.zscan(streamsKey(organizationId), cursor, 'COUNT', 1_000);
      for (let i = 0; i + 1 < reply.length; i += 2) streams.set(reply[i] ?? '', Number(reply[i + 1]));
      cursor = next;
    } while (cursor !== '0');
    return streams;
  }

  /** Whether a recount is due; true for one caller of all processes, which then makes it. */
  async claimRecount(organizationId: string): Promise<boolean> {
    return (await this.client.set(recountedKey(organizationId), '1', 'PX', recountInterval, 'NX')) === 'OK';
  }
}

const environmentsKey = (organizationId: string) => `organization-environments:{${organizationId}}`;
const streamsKey = (organizationId: string) => `organization-streams:{${organizationId}}`;
const recountedKey = (organizationId: string) => `organization-streams-recounted:{${organizationId}}`;
