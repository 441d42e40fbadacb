import { activeSessionsKey, bucketHashTag, bucketsOfDeployment, type SubjectBuckets } from '@multi-drm/contracts';
import { portions } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import type { CurrentBuckets } from './current-buckets';
import { readActiveMember, slotKeys } from './keys';
import { environmentOfStream, type OrganizationStreams, streamMember } from './organization-streams';
import type { RedisClock } from './redis-clock';

interface StreamRecountOptions {
  client: Redis | Cluster;
  clock: RedisClock;
  streams: OrganizationStreams;
  buckets: CurrentBuckets;
  /** Returns whether an environment is published. The sessions of an archived one no longer count. */
  isPublished: (environmentId: string) => Promise<boolean>;
}

interface Stream {
  member: string;
  expiresAt: number;
}

/** The number of commands sent together. */
const commandsAtOnce = 64;

/**
 * Corrects an organization's streams from the slots, which are authoritative: adds streams that were not written because a process died
 * or because there was no limit when they started, and removes those whose end was not written. Reads 1,024 keys per environment.
 * Streams that start, end or come back in the meantime stay correct.
 */
export class StreamRecount {
  constructor(private readonly options: StreamRecountOptions) {}

  async run(organizationId: string): Promise<void> {
    const { clock, streams, isPublished } = this.options;
    const buckets = await this.options.buckets();
    // The streams are read before the slots: a stream whose slot is then missing has ended.
    const known = await streams.all(organizationId);
    const noted = await streams.environmentsOf(organizationId);
    const published = new Set<string>();
    for (const environmentId of new Set([...noted, ...[...known.keys()].map(environmentOfStream)])) {
      if (await isPublished(environmentId)) {
        published.add(environmentId);
        await this.recountEnvironment(buckets, organizationId, environmentId, known);
      } else await streams.forgetEnvironment(organizationId, environmentId);
    }
    await streams.remove(organizationId, [...known.keys()]);
    // A lost session may have come back after its bucket was read; its stream was then removed.
    const now = clock.now().getTime();
    const removed = Array.from(known, ([member, expiresAt]) => ({ member, expiresAt })).filter(
      ({ member, expiresAt }) => expiresAt > now && published.has(environmentOfStream(member)),
    );
    for (const batch of portions(removed, commandsAtOnce)) {
      const ended = new Set(await this.endedOf(buckets, batch));
      await this.addActive(
        buckets,
        organizationId,
        batch.filter(({ member }) => !ended.has(member)),
      );
    }
  }

  /** Corrects the streams of one environment and removes the active ones from `known`. */
  private async recountEnvironment(
    buckets: SubjectBuckets,
    organizationId: string,
    environmentId: string,
    known: Map<string, number>,
  ): Promise<void> {
    const all = Array.from({ length: bucketsOfDeployment }, (_, bucket) => bucket);
    for (const batch of portions(all, commandsAtOnce)) {
      const active = (await Promise.all(batch.map((bucket) => this.activeIn(buckets, environmentId, bucket)))).flat();
      const missing = active.filter(({ member, expiresAt }) => known.get(member) !== expiresAt);
      for (const { member } of active) known.delete(member);
      for (const added of portions(missing, commandsAtOnce)) await this.addActive(buckets, organizationId, added);
    }
  }

  private async addActive(buckets: SubjectBuckets, organizationId: string, added: Stream[]): Promise<void> {
    const { streams } = this.options;
    await streams.add(organizationId, added);
    // A stream may have ended, and been removed, before it was added here.
    await streams.remove(organizationId, await this.endedOf(buckets, added));
  }

  /** Returns the members of the streams that have no slot. */
  private async endedOf(buckets: SubjectBuckets, streams: Stream[]): Promise<string[]> {
    const ended = await Promise.all(
      streams.map(async ({ member }) => ((await this.isActive(buckets, member)) ? [] : [member])),
    );
    return ended.flat();
  }

  /** Leaves out sessions that were reserved under a former hash key, which no other call finds. */
  private async activeIn(buckets: SubjectBuckets, environmentId: string, bucket: number): Promise<Stream[]> {
    const { client, clock } = this.options;
    const now = clock.now().getTime();
    const key = activeSessionsKey(bucketHashTag(bucket), environmentId);
    const reply = await client.zrange(key, `(${now}`, '+inf', 'BYSCORE', 'WITHSCORES');
    const active: Stream[] = [];
    for (let index = 0; index + 1 < reply.length; index += 2) {
      const session = { environmentId, ...readActiveMember(reply[index] ?? '') };
      if (buckets.bucketOf(environmentId, session.subject) !== bucket) continue;
      active.push({ member: streamMember(session), expiresAt: Number(reply[index + 1]) });
    }
    return active;
  }

  private async isActive(buckets: SubjectBuckets, member: string): Promise<boolean> {
    const environmentId = environmentOfStream(member);
    const { sessionId, subject } = readActiveMember(member.slice(environmentId.length + 1));
    return (await this.options.client.hexists(slotKeys(buckets, environmentId, subject).slots, sessionId)) === 1;
  }
}
