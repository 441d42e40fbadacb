import { activeSessionsKey, publishedKeys, subjectHashTag } from '@multi-drm/contracts';

/**
 * The Redis keys that one session touches. All carry the hash tag of (environment, subject), so one script may use
 * them together on a cluster.
 */
export interface SlotKeys {
  /**
   * Hash: what is remembered of the session: state, reservationId, requestHash, startedAt, expiresAt, limit, terms,
   * endedAt; its number of licenseRequests, and of the calls of a kind in one minute.
   */
  record: string;
  /** Sorted set of the subject's slots: session id → expiresAt, milliseconds since 1970. */
  expiries: string;
  /** Sorted set of the same slots: session id → startedAt, microseconds since 1970. */
  starts: string;
  /** Hash of the same slots: session id → JSON details. */
  details: string;
  /** Sorted set of all slots of the environment's bucket: {@link liveMember} → expiresAt, milliseconds since 1970. */
  live: string;
  /**
   * Sorted set of what was ended before it came, of the whole bucket: digest of session id and subject of a session that was
   * released, or of reservation id, session id and subject of a reservation that was taken back → until when it is
   * remembered, milliseconds since 1970. A session that was taken back may be created again, under another reservation.
   */
  ended: string;
  /** Hash that the control plane publishes of the viewer; only read here. */
  endUser: string;
}

/** Names the keys of a session. Throws a RangeError for a session id with a colon: its key could be another's. */
export function slotKeys(environmentId: string, subject: string, sessionId: string): SlotKeys {
  if (sessionId.includes(':')) throw new RangeError('a session id has no colon');
  const tag = subjectHashTag(environmentId, subject);
  const prefix = `session:${tag}`;
  return {
    record: `${prefix}:record:${sessionId}:${subject}`,
    expiries: `${prefix}:expiries:${subject}`,
    starts: `${prefix}:starts:${subject}`,
    details: `${prefix}:details:${subject}`,
    live: activeSessionsKey(tag),
    ended: `${prefix}:ended`,
    endUser: publishedKeys.endUser(environmentId, subject),
  };
}

/** What a session is called in the `live` key. */
export function liveMember(sessionId: string, subject: string): string {
  return `${sessionId}:${subject}`;
}

/** The session that a member of the `live` key names. */
export function readLiveMember(member: string): { sessionId: string; subject: string } {
  // Session ids have no colon; subjects may.
  const colon = member.indexOf(':');
  return { sessionId: member.slice(0, colon), subject: member.slice(colon + 1) };
}
