import type { Cluster, Redis } from 'ioredis';
import { slotKeys } from './keys';
import { readSubjectCursor, subjectCursorAt } from './list-cursor';
import { readDetails, readListReply } from './script-replies';
import { keysFor } from './slot-commands';
import type { ActiveSessionDetails, ActiveSessionPage, PageRequest } from './slot-store';

type Slot = ReturnType<typeof readListReply>['slots'][number];

/**
 * Lists the active sessions of one subject. A page is a snapshot, so it never shows more than the stream limit, even if sessions replace
 * each other quickly.
 */
export class SubjectList {
  /** The client must have the commands of the slot scripts. */
  constructor(private readonly client: Redis | Cluster) {}

  /** Lists by start, which never changes and which is latest for new sessions. Throws InvalidCursor. */
  async page(environmentId: string, subject: string, { limit, cursor }: PageRequest): Promise<ActiveSessionPage> {
    let after = cursor === undefined ? null : readSubjectCursor(environmentId, subject, cursor);
    const slots: Slot[] = [];
    const keys = keysFor('list', { environmentId, subject, sessionId: '' });
    // One more than the page holds shows that the list continues. A second call is needed only if very many slots have expired.
    do {
      const reply = readListReply(await this.client.listSlots(...keys, after ?? '', limit + 1 - slots.length));
      slots.push(...reply.slots);
      after = reply.after;
    } while (after !== null && slots.length <= limit);
    const shown = slots.slice(0, limit);
    const last = slots.length > limit ? shown.at(-1) : undefined;
    return {
      sessions: await Promise.all(shown.map((slot) => this.sessionOf(environmentId, subject, slot))),
      cursor: last === undefined ? null : subjectCursorAt(environmentId, subject, last.startedAt),
    };
  }

  /** Also reads the number of license requests from the session's record, whose key the script could not know in advance. */
  private async sessionOf(environmentId: string, subject: string, slot: Slot): Promise<ActiveSessionDetails> {
    const { sessionId, startedAt, expiresAt, details } = slot;
    const { record } = slotKeys(environmentId, subject, sessionId);
    return {
      sessionId,
      subject,
      ...readDetails(details),
      startedAt: new Date(Math.floor(startedAt / 1000)),
      expiresAt,
      licenseRequests: Number((await this.client.hget(record, 'licenseRequests')) ?? 0),
    };
  }
}
