import { slotEventsKey } from '../events/event-keys';
import { readSlotEvent, type SlotEvent } from '../events/slot-event';
import type { SessionReference } from '../slot-store';
import { buckets } from './subject-buckets';
import type { TestClient } from './test-store';

/** Suites share lists, and some of them append entries that are not events. */
function readEventsOf(environmentId: string, entries: Buffer[]): SlotEvent[] {
  const events = entries.filter((entry) => entry.includes(environmentId)).map(readSlotEvent);
  return events.filter((event) => event.environmentId === environmentId);
}

/** Reads the events that were appended of a subject, oldest first. */
export async function readAppended(
  client: TestClient,
  { environmentId, subject }: Pick<SessionReference, 'environmentId' | 'subject'>,
): Promise<SlotEvent[]> {
  const entries = await client.lrangeBuffer(slotEventsKey(buckets.bucketOf(environmentId, subject)), 0, -1);
  return readEventsOf(environmentId, entries).filter((event) => event.subject === subject);
}

/** Returns a function that reads the events that were appended of a subject since its last call. */
export function newEvents(
  client: TestClient,
  { environmentId, subject }: SessionReference,
): () => Promise<SlotEvent[]> {
  const list = slotEventsKey(buckets.bucketOf(environmentId, subject));
  let read = 0;
  return async () => {
    const entries = await client.lrangeBuffer(list, read, -1);
    read += entries.length;
    return readEventsOf(environmentId, entries);
  };
}

/** Returns the events in short: `started <session id>`, `ended <session id> released`. */
export function inShort(events: SlotEvent[]): string[] {
  return events.map((event) => {
    const kind = `${event.kind} ${event.sessionId}`;
    return event.kind === 'ended' ? `${kind} ${event.reason}` : kind;
  });
}
