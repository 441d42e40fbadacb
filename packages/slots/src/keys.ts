import {
  activeSessionsKey,
  bucketHashTag,
  bucketOfChecksum,
  bucketsOfDeployment,
  checksumOfHash,
  publishedKeys,
  type SubjectBuckets,
} from '@multi-drm/contracts';
import { slotEventsDroppedKey, slotEventsKey } from './events/event-keys';

/**
 * The Redis keys of a subject's sessions. All have the hash tag of the subject's bucket, so that one script can use them together on a
 * cluster.
 */
export interface SlotKeys {
  /**
   * Hash: session id → record of each session that has not ended, or has expired and was not swept yet, packed as
   * scripts/parts/record.lua describes. Its field '' holds the start of the newest session, once the subject has had a second one.
   */
  slots: string;
  /** Sorted set: all slots of the environment in the bucket, {@link activeMember} → expiresAt in milliseconds since 1970. */
  active: string;
  /**
   * Sorted set: the sessions that have ended, or were released before they were created, of a sixteenth of the viewers in the bucket. A
   * member is a digest of environment, session id and subject. For an undone reservation, the digest includes the reservation id, so that
   * the session can still be created under another reservation. scripts/parts/ended-ids.lua describes the scores.
   */
  ended: string;
  /** Hash: the viewer's published document; only read here. */
  endUser: string;
  /**
   * Sorted set of the bucket: environment → a time at or before the earliest expiresAt of its slots there, in milliseconds since 1970.
   * Renewals and ends do not change this time; the sweep corrects it once it has passed.
   */
  expiring: string;
  /** List of the bucket: the events of its slots that were not read yet. */
  events: string;
  /** Hash of the bucket: what was dropped of `events`. */
  droppedEvents: string;
}

/** How many lists of ended ids a bucket has. Redis stores a list of up to 128 in about a third of the memory that longer ones take. */
const endedListsOfBucket = 16;

/** Returns the list of ended ids of a subject in a bucket. It is chosen by bits of the checksum that did not choose the bucket. */
function endedKey(checksum: number, bucket: number): string {
  const list = Math.floor(checksum / bucketsOfDeployment) % endedListsOfBucket;
  return `ended-sessions:${bucketHashTag(bucket)}:${list}`;
}

/** Returns the keys of a subject's sessions. */
export function slotKeys(buckets: SubjectBuckets, environmentId: string, subject: string): SlotKeys {
  // Computed once for all keys, because every call waits for it.
  const subjectHash = buckets.hashOf(environmentId, subject);
  const checksum = checksumOfHash(subjectHash);
  const bucket = bucketOfChecksum(checksum);
  return {
    ...bucketKeys(environmentId, bucket),
    ended: endedKey(checksum, bucket),
    slots: slotsKey(environmentId, subject, bucket),
    endUser: publishedKeys.endUser(environmentId, subjectHash),
  };
}

/**
 * Returns the keys of a subject that was found in a bucket. After a change of the hash key, this may be another bucket than its present
 * one.
 */
export function foundKeys(
  buckets: SubjectBuckets,
  environmentId: string,
  subject: string,
  bucket: number,
): Pick<SlotKeys, 'slots' | 'ended'> {
  const ended = endedKey(buckets.checksumOf(environmentId, subject), bucket);
  return { slots: slotsKey(environmentId, subject, bucket), ended };
}

/** Returns the key of a subject's slots, {@link SlotKeys.slots}, for a subject whose bucket is known. */
export function slotsKey(environmentId: string, subject: string, bucket: number): string {
  return `slots:${bucketHashTag(bucket)}:${environmentId}:${subject}`;
}

/** Returns the keys that the subjects of an environment in one bucket share. */
export function bucketKeys(
  environmentId: string,
  bucket: number,
): Pick<SlotKeys, 'active' | 'expiring' | 'events' | 'droppedEvents'> {
  const tag = bucketHashTag(bucket);
  return {
    active: activeSessionsKey(tag, environmentId),
    expiring: expiringKey(bucket),
    events: slotEventsKey(bucket),
    droppedEvents: slotEventsDroppedKey(bucket),
  };
}

/** Returns the key of the environments with slots in a bucket. */
export function expiringKey(bucket: number): string {
  return `expiring-environments:${bucketHashTag(bucket)}`;
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
