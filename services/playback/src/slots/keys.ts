import { subjectHashTag } from '@multi-drm/contracts';

/**
 * The Redis keys that one session touches. All carry the hash tag of (environment, subject), so one script may use
 * them together on a cluster.
 */
export interface SlotKeys {
  /** Hash: what is remembered of the session: state, reservationId, requestHash, startedAt, expiresAt, endedAt. */
  record: string;
  /** Sorted set of the subject's slots: session id → expiresAt, milliseconds since 1970. */
  expiries: string;
  /** Sorted set of the same slots: session id → startedAt, microseconds since 1970. */
  starts: string;
  /** Hash of the same slots: session id → JSON details. */
  details: string;
}

/** Names the keys of a session. Throws a RangeError for a session id with a colon: its key could be another's. */
export function slotKeys(environmentId: string, subject: string, sessionId: string): SlotKeys {
  if (sessionId.includes(':')) throw new RangeError('a session id has no colon');
  const prefix = `session:${subjectHashTag(environmentId, subject)}`;
  return {
    record: `${prefix}:record:${sessionId}:${subject}`,
    expiries: `${prefix}:expiries:${subject}`,
    starts: `${prefix}:starts:${subject}`,
    details: `${prefix}:details:${subject}`,
  };
}
