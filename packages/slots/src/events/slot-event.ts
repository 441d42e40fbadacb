import { unpackAll } from '../message-pack';
import { readDetails } from '../packed-details';
import { ReplyReader } from '../reply-reader';
import type { StoredDetails } from '../slot-store';

/**
 * How a session ended. `replaced`: released by the session that replaced it. `undone`: the create was taken back because its response could
 * not be delivered.
 */
export type SessionEndReason = 'released' | 'terminated' | 'evicted' | 'expired' | 'replaced' | 'undone';

interface AnySlotEvent {
  environmentId: string;
  subject: string;
  sessionId: string;
  reservationId: string;
  /** When it happened, in microseconds since 1970; of an expired session, its `expiresAt`. */
  at: number;
  /** Microseconds since 1970. */
  startedAt: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  details: StoredDetails;
}

/** What a script of the slots has appended to the list of a bucket, in the same step as the change. */
export type SlotEvent = AnySlotEvent &
  (
    | {
        kind: 'started';
        /** The session that the create named as `replacesSessionId`, even if there was no such session. */
        replacesSessionId: string | null;
        /** How many records the subject then had: this session, other active ones, and expired ones that were not removed yet. */
        activeSessions: number;
      }
    | { kind: 'ended'; reason: SessionEndReason; licenseRequests: number }
    /** A session that Redis had lost took its slot again. */
    | { kind: 'resumed' }
  );

const version = 1;

/** The numbers of the reasons, as scripts/parts/events.lua writes them. */
const reasons = new Map<number, SessionEndReason>([
  [2, 'released'],
  [3, 'terminated'],
  [4, 'evicted'],
  [5, 'expired'],
  [6, 'replaced'],
  [7, 'undone'],
]);

/**
 * Reads an entry of the list of a bucket, as scripts/parts/events.lua packs it. Throws an error for bytes of another form or version.
 */
export function readSlotEvent(entry: Buffer): SlotEvent {
  const values = new ReplyReader(unpackAll(entry));
  if (values.integer() !== version) throw new TypeError('an event of another version');
  const kind = values.integer();
  const event = {
    environmentId: values.text(),
    subject: values.text(),
    sessionId: values.text(),
    reservationId: values.text(),
    at: values.integer(),
    startedAt: values.integer(),
    expiresAt: values.integer(),
    details: readDetails(values.bytes()),
    ...readKind(kind, values),
  };
  values.requireEnd();
  return event;
}

function readKind(kind: number, values: ReplyReader) {
  switch (kind) {
    case 1: {
      const replaced = values.text();
      const replacesSessionId = replaced === '' ? null : replaced;
      return { kind: 'started' as const, replacesSessionId, activeSessions: values.integer() };
    }
    case 2:
      return { kind: 'ended' as const, reason: readReason(values.integer()), licenseRequests: values.integer() };
    case 3:
      return { kind: 'resumed' as const };
    default:
      throw new TypeError('an event of an unknown kind');
  }
}

function readReason(number: number): SessionEndReason {
  const reason = reasons.get(number);
  if (reason === undefined) throw new TypeError('an unknown reason');
  return reason;
}
