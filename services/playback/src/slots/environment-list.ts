import { activeSessionsKey, bucketHashTag, bucketsOfDeployment } from '@multi-drm/contracts';
import type { Cluster, Redis } from 'ioredis';
import { readActiveMember, slotKeys } from './keys';
import { environmentCursorAt, readEnvironmentCursor } from './list-cursor';
import { readDetails } from './packed-details';
import { readRecord } from './packed-record';
import type { ActiveSessionDetails, ActiveSessionPage, PageRequest } from './slot-store';

/** A session found in a sorted set, before its details are read. */
interface Candidate {
  environmentId: string;
  subject: string;
  sessionId: string;
}

interface Listed {
  session: ActiveSessionDetails;
  /** The cursor that continues after it. */
  cursor: string;
}

/**
 * Lists the active sessions of an environment. Uses no script: a page is not atomic, and sessions that
 * end while it is read are omitted. Commands are sent together, each with one key, so that this works on a cluster too.
 */
export class EnvironmentList {
  constructor(private readonly client: Redis | Cluster) {}

  /** Lists by bucket, and by member within a bucket: an order that renewals do not change. */
  async listEnvironment(environmentId: string, page: PageRequest): Promise<ActiveSessionPage> {
    const after = page.cursor === undefined ? null : readEnvironmentCursor(environmentId, page.cursor);
    const now = await this.now();
    const listed: Listed[] = [];
    let first = after?.bucket ?? 0;
    // One bucket, then two, then four, …: reads few unneeded buckets, and skips empty ones in a few round trips.
    for (let width = 1; first < bucketsOfDeployment && listed.length <= page.limit; width *= 2) {
      const buckets = range(first, Math.min(first + width, bucketsOfDeployment));
      const members = await Promise.all(buckets.map((bucket) => this.membersOf(environmentId, bucket, now)));
      const candidates = members
        .flat()
        .filter(({ bucket, member }) => after === null || bucket > after.bucket || member > after.member);
      await this.fill(listed, page.limit, candidates, now, (candidate) =>
        environmentCursorAt(environmentId, candidate),
      );
      first += width;
    }
    return pageOf(listed, page.limit);
  }

  private async membersOf(environmentId: string, bucket: number, now: number) {
    const members = await this.client.zrange(
      activeSessionsKey(bucketHashTag(bucket), environmentId),
      `(${now}`,
      '+inf',
      'BYSCORE',
    );
    return members.sort().map((member) => ({ environmentId, bucket, member, ...readActiveMember(member) }));
  }

  /** Adds the active candidates until there is one more than the page holds, which shows that the list continues. */
  private async fill<C extends Candidate>(
    listed: Listed[],
    limit: number,
    candidates: C[],
    now: number,
    cursorAt: (candidate: C) => string,
  ): Promise<void> {
    let next = 0;
    while (next < candidates.length && listed.length <= limit) {
      const portion = candidates.slice(next, next + limit + 1 - listed.length);
      next += portion.length;
      const sessions = await Promise.all(portion.map((candidate) => this.read(candidate, now)));
      for (const [index, candidate] of portion.entries()) {
        const session = sessions[index];
        if (session) listed.push({ session, cursor: cursorAt(candidate) });
      }
    }
  }

  /** Null for a session that has ended. */
  private async read(
    { environmentId, subject, sessionId }: Candidate,
    now: number,
  ): Promise<ActiveSessionDetails | null> {
    const packed = await this.client.hgetBuffer(slotKeys(environmentId, subject).slots, sessionId);
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

  /** The time of Redis in milliseconds since 1970; on a cluster, that of one node. */
  private async now(): Promise<number> {
    const [seconds, microseconds] = await this.client.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }
}

function pageOf(listed: Listed[], limit: number): ActiveSessionPage {
  const page = listed.slice(0, limit);
  const cursor = listed.length > limit ? (page.at(-1)?.cursor ?? null) : null;
  return { sessions: page.map(({ session }) => session), cursor };
}

/** Returns the integers from `first` to below `end`. */
function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
