import { bucketHashTag } from '@multi-drm/contracts';

/** How many lists of request events a deployment has. Their tags spread them over the nodes of a cluster. */
export const requestEventLists = 16;

/** Returns the key of a list: the events of all slots in a bucket that were not read yet, oldest first; slot-event.ts reads each. */
export function slotEventsKey(bucket: number): string {
  return `slot-events:${bucketHashTag(bucket)}`;
}

/** Returns the key of a hash, there if entries of the list were dropped: `count` of them, `from` and `to` in microseconds since 1970. */
export function slotEventsDroppedKey(bucket: number): string {
  return `slot-events-dropped:${bucketHashTag(bucket)}`;
}

/**
 * Returns the key of a list: entries of playback processes with request events that were not read yet, oldest first; request-events.ts
 * reads each. `list`: from 0 to {@link requestEventLists} - 1.
 */
export function requestEventsKey(list: number): string {
  return `request-events:{${list}}`;
}

/** Returns the key of a hash like that of {@link slotEventsDroppedKey}. `count`: of request events, not of entries. */
export function requestEventsDroppedKey(list: number): string {
  return `request-events-dropped:{${list}}`;
}
