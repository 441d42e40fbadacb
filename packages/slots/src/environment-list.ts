import { activeSessionsKey, bucketHashTag, bucketsOfDeployment, type SubjectBuckets } from '@multi-drm/contracts';
import { portions } from '@multi-drm/service-kit';
import { Cluster, type Redis } from 'ioredis';
import type { CurrentBuckets } from './current-buckets';
import { readActiveMember, slotsKey } from './keys';
import { type EnvironmentPosition, environmentCursorAt, readEnvironmentCursor } from './list-cursor';
import { readDetails } from './packed-details';
import { readRecord } from './packed-record';
import { type RedisClock, readTime } from './redis-clock';
import type { ActiveSessionDetails, ActiveSessionPage, PageRequest } from './slot-store';

/** A session that was found in a sorted set, and whose details were not read yet. */
interface Candidate {
  bucket: number;
  /** Of the bucket's `active` key. */
  member: string;
}

interface Listed {
  session: ActiveSessionDetails;
  /** The cursor that continues after it. */
  cursor: string;
}

/** Each read covers this many times the buckets that were read before it. */
const bucketGrowth = 4;

/** How many buckets one command reads, so that an environment with few sessions takes eight commands instead of 1,024. */
const bucketsAtOnce = 128;

/**
 * Lists the active sessions of an environment with plain commands, which are sent together; in a cluster, each has one key. So a page is
 * not a snapshot, and leaves out sessions that end while it is read.
 */
export class EnvironmentList {
  /** Without a clock, each page reads the time of Redis first. */
  constructor(
    private readonly client: Redis | Cluster,
    private readonly clock: RedisClock | undefined,
    private readonly buckets: CurrentBuckets,
  ) {}

  /** Lists by bucket, and by member within a bucket: an order that renewals do not change. */
  async listEnvironment(environmentId: string, { limit, cursor }: PageRequest): Promise<ActiveSessionPage> {
    const buckets = await this.buckets();
    const after = cursor === undefined ? null : readEnvironmentCursor(buckets, environmentId, cursor);
    const now = (this.clock?.now() ?? (await readTime(this.client))).getTime();
    const first = after?.bucket ?? 0;
    const listed: Listed[] = [];
    let candidates: Candidate[] = [];
    let next = first;
    // One more than the page holds shows that the list continues.
    for (let missing = limit + 1; missing > 0; missing = limit + 1 - listed.length) {
      // One bucket, then four, then twenty, …: reads few unneeded buckets, and skips empty ones in a few round trips.
      while (candidates.length < missing && next < bucketsOfDeployment) {
        const width = Math.min(Math.max(1, bucketGrowth * (next - first)), bucketsOfDeployment - next);
        const found = await this.candidatesIn(buckets, environmentId, { from: next, to: next + width }, now);
        candidates = candidates.concat(found.filter((candidate) => after === null || follows(candidate, after)));
        next += width;
      }
      if (candidates.length === 0) break;
      const portion = candidates.slice(0, missing);
      candidates = candidates.slice(missing);
      const sessions = await Promise.all(portion.map((candidate) => this.read(buckets, environmentId, candidate, now)));
      for (const [index, candidate] of portion.entries()) {
        const session = sessions[index];
        if (session) listed.push({ session, cursor: environmentCursorAt(environmentId, candidate) });
      }
    }
    return pageOf(listed, limit);
  }

  /** Those in the buckets before `to`, in the order of the list. Some of them may have expired. */
  private async candidatesIn(
    buckets: SubjectBuckets,
    environmentId: string,
    { from, to }: { from: number; to: number },
    now: number,
  ): Promise<Candidate[]> {
    const keyOf = (bucket: number) => activeSessionsKey(bucketHashTag(bucket), environmentId);
    const read = Array.from({ length: to - from }, (_, index) => from + index);
    if (read.length === 1 || this.client instanceof Cluster) {
      const found = await Promise.all(
        read.map(async (bucket) => {
          const members = await this.client.zrange(keyOf(bucket), `(${now}`, '+inf', 'BYSCORE');
          return members.sort().map((member) => ({ bucket, member }));
        }),
      );
      return found.flat();
    }
    const unions = await Promise.all(
      portions(read, bucketsAtOnce).map((batch) => this.client.zunion(batch.length, batch.map(keyOf))),
    );
    // A session that was also reserved under a former hash key is in two buckets.
    return [...new Set(unions.flat())]
      .map((member) => ({ member, bucket: buckets.bucketOf(environmentId, readActiveMember(member).subject) }))
      .filter(({ bucket }) => bucket >= from && bucket < to)
      .sort((one, other) => (follows(one, other) ? 1 : -1));
  }

  /** Returns null for a session that has ended, or that was reserved under a former hash key, where no other call finds it. */
  private async read(
    buckets: SubjectBuckets,
    environmentId: string,
    { bucket, member }: Candidate,
    now: number,
  ): Promise<ActiveSessionDetails | null> {
    const { sessionId, subject } = readActiveMember(member);
    if (buckets.bucketOf(environmentId, subject) !== bucket) return null;
    const packed = await this.client.hgetBuffer(slotsKey(environmentId, subject, bucket), sessionId);
    if (packed === null) return null;
    const { startedAt, expiresAt, licenseRequests, details } = readRecord(packed);
    if (expiresAt <= now) return null;
    return {
      sessionId,
      subject,
      ...readDetails(details),
      startedAt: new Date(Math.floor(startedAt / 1000)),
      expiresAt: new Date(expiresAt),
      licenseRequests,
    };
  }
}

/** Whether a place in the list is after another one. */
function follows(one: EnvironmentPosition, other: EnvironmentPosition): boolean {
  return one.bucket === other.bucket ? one.member > other.member : one.bucket > other.bucket;
}

function pageOf(listed: Listed[], limit: number): ActiveSessionPage {
  const page = listed.slice(0, limit);
  const cursor = listed.length > limit ? (page.at(-1)?.cursor ?? null) : null;
  return { sessions: page.map(({ session }) => session), cursor };
}
