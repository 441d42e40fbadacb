import type { Cluster, Redis } from 'ioredis';
import type { CurrentBuckets } from './current-buckets';
import { readSubjectCursor, subjectCursorAt } from './list-cursor';
import { readListReply } from './script-replies';
import { keysFor } from './slot-commands';
import type { ActiveSessionPage, PageRequest } from './slot-store';

/**
 * Counts and lists the active sessions of one subject. A page is a snapshot: all sessions on it were active at the same time, even if
 * sessions replace each other quickly.
 */
export class SubjectList {
  /** The client must have the commands of the slot scripts. */
  constructor(
    private readonly client: Redis | Cluster,
    private readonly buckets: CurrentBuckets,
  ) {}

  async count(environmentId: string, subject: string): Promise<number> {
    return (await this.read(environmentId, subject, null, 0)).count;
  }

  /** Lists sessions in the order of their starts: a start never changes, and new sessions come last. Throws InvalidCursor. */
  async page(environmentId: string, subject: string, { limit, cursor }: PageRequest): Promise<ActiveSessionPage> {
    const after = cursor === undefined ? null : readSubjectCursor(environmentId, subject, cursor);
    // One more than the page holds shows that the list continues.
    const { sessions } = await this.read(environmentId, subject, after, limit + 1);
    const shown = sessions.slice(0, limit);
    const last = sessions.length > limit ? shown.at(-1) : undefined;
    return {
      sessions: shown.map(({ startedAt, details, ...session }) => ({
        ...session,
        ...details,
        subject,
        startedAt: new Date(Math.floor(startedAt / 1000)),
      })),
      cursor: last === undefined ? null : subjectCursorAt(environmentId, subject, last.startedAt),
    };
  }

  private async read(environmentId: string, subject: string, after: number | null, most: number) {
    const keys = keysFor('list', await this.buckets(), { environmentId, subject, sessionId: '' });
    return readListReply(await this.client.listSlotsBuffer(...keys, after ?? '', most));
  }
}
