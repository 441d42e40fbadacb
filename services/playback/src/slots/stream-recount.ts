import { activeSessionsKey, bucketHashTag, bucketsOfEnvironment } from '@multi-drm/contracts';
import type { Cluster, Redis } from 'ioredis';
import { readLiveMember, slotKeys } from './keys';
import { environmentOfStream, type OrganizationStreams, streamMember } from './organization-streams';
import type { RedisClock } from './redis-clock';

interface StreamRecountOptions {
  client: Redis | Cluster;
  clock: RedisClock;
  streams: OrganizationStreams;
  /** Whether an environment is published. The sessions of an archived one count no more. */
  isPublished: (environmentId: string) => Promise<boolean>;
}

interface Stream {
  member: string;
  expiresAt: number;
}

/** Commands that go out together: few, so that the requests of others come in between. */
const commandsAtOnce = 64;

/**
 * Holds an organization's streams against the slots, which are the truth: adds streams that were never written because a
 * process died, or that had no limit yet when they started, and drops those that have ended without a word. Reads 256 keys
 * an environment. Streams that start and end meanwhile are left right.
 */
export class StreamRecount {
  constructor(private readonly options: StreamRecountOptions) {}

  async run(organizationId: string): Promise<void> {
    const { streams, isPublished } = this.options;
    // Read first: whatever is in it was in a slot before, so what is in no slot later has ended.
    const known = await streams.all(organizationId);
    const noted = await streams.environmentsOf(organizationId);
    for (const environmentId of new Set([...noted, ...[...known.keys()].map(environmentOfStream)])) {
      if (await isPublished(environmentId)) await this.recountEnvironment(organizationId, environmentId, known);
      else await streams.forgetEnvironment(organizationId, environmentId);
    }
    for (const members of portions([...known.keys()], commandsAtOnce)) await streams.remove(organizationId, members);
  }

  /** Takes out of `known` what is right. */
  private async recountEnvironment(
    organizationId: string,
    environmentId: string,
    known: Map<string, number>,
  ): Promise<void> {
    const { streams } = this.options;
    const buckets = Array.from({ length: bucketsOfEnvironment }, (_, bucket) => bucket);
    for (const some of portions(buckets, commandsAtOnce)) {
      const live = (await Promise.all(some.map((bucket) => this.liveIn(environmentId, bucket)))).flat();
      const missing = live.filter(({ member, expiresAt }) => known.get(member) !== expiresAt);
      for (const { member } of live) known.delete(member);
      for (const added of portions(missing, commandsAtOnce)) {
        await streams.add(organizationId, added);
        // One may have ended, and been removed, before it was added.
        const ended = await Promise.all(added.map(async ({ member }) => ((await this.isLive(member)) ? [] : [member])));
        await streams.remove(organizationId, ended.flat());
      }
    }
  }

  private async liveIn(environmentId: string, bucket: number): Promise<Stream[]> {
    const { client, clock } = this.options;
    const now = clock.now().getTime();
    const key = activeSessionsKey(bucketHashTag(environmentId, bucket));
    const reply = await client.zrange(key, `(${now}`, '+inf', 'BYSCORE', 'WITHSCORES');
    return Array.from({ length: reply.length / 2 }, (_, index) => ({
      member: streamMember({ environmentId, ...readLiveMember(reply[2 * index] ?? '') }),
      expiresAt: Number(reply[2 * index + 1]),
    }));
  }

  private async isLive(member: string): Promise<boolean> {
    const environmentId = environmentOfStream(member);
    const { sessionId, subject } = readLiveMember(member.slice(environmentId.length + 1));
    return (await this.options.client.zscore(slotKeys(environmentId, subject, sessionId).expiries, sessionId)) !== null;
  }
}

function portions<Value>(values: Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
