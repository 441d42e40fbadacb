import { activeSessionsKey, publishedKeys, subjectHashTag } from '@multi-drm/contracts';

/**
 * The Redis keys of a session. All have the hash tag of (environment, subject), so that one script can use them together on a
 * cluster.
 */
export interface SlotKeys {
  /**
   * Hash: the record of the session: state, reservationId, requestHash, startedAt, expiresAt, limit, grant,
   * endedAt, the number of licenseRequests, and the number of calls of each kind in one minute.
   */
  record: string;
  /** Sorted set: the subject's slots, session id → expiresAt in milliseconds since 1970. */
  expiries: string;
  /** Sorted set: the same slots, session id → startedAt in microseconds since 1970. */
  starts: string;
  /** Hash: the same slots, session id → JSON details. */
  details: string;
  /** Sorted set: all slots of the bucket, {@link activeMember} → expiresAt in milliseconds since 1970. */
  active: string;
  /**
   * Sorted set: what ended in the bucket before it was created → until when it is remembered, in milliseconds since 1970. A member is a
   * digest: of session id and subject for a released session, or of reservation id, session id and subject for an undone
   * reservation. The session of an undone reservation may be created again under another reservation.
   */
  ended: string;
  /** Hash: the viewer's published document; only read here. */
  endUser: string;
}

/** Returns the keys of a session. Throws a RangeError for a session id with a colon, whose keys could be another session's. */
export function slotKeys(environmentId: string, subject: string, sessionId: string): SlotKeys {
  if (sessionId.includes(':')) throw new RangeError('a session id must not contain a colon');
  const tag = subjectHashTag(environmentId, subject);
  const prefix = `session:${tag}`;
  return {
    record: `${prefix}:record:${sessionId}:${subject}`,
    expiries: `${prefix}:expiries:${subject}`,
    starts: `${prefix}:starts:${subject}`,
    details: `${prefix}:details:${subject}`,
    active: activeSessionsKey(tag),
    ended: `${prefix}:ended`,
    endUser: publishedKeys.endUser(environmentId, subject),
  };
}

/** The member of a session in the `active` key. */
export function activeMember(sessionId: string, subject: string): string {
  return `${sessionId}:${subject}`;
}

/** Parses a member of the `active` key. */
export function readActiveMember(member: string): { sessionId: string; subject: string } {
  // Subjects may contain colons; session ids cannot.
  const colon = member.indexOf(':');
  return { sessionId: member.slice(0, colon), subject: member.slice(colon + 1) };
}
