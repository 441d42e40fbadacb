import { hash } from 'node:crypto';
import type { RequestEvent } from '@multi-drm/slots';
import type { ClientBase } from 'pg';
import { eventId } from './event-id';
import { type EventRow, insertEvents } from './event-rows';
import type { ParsedEntry } from './parsed-entries';
import { dataOfMark, type SandboxMark } from './sandbox-mark';

/** How many rows one statement inserts. */
const rowsAtOnce = 2_000;

/** Stores what became of requests, in the transaction of the client. Nothing is stored twice. Returns how many events are new. */
export async function storeRequestEvents(client: ClientBase, entries: readonly ParsedEntry[]): Promise<number> {
  const rows = entries.flatMap(rowsOf);
  let stored = 0;
  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    stored += await insertEvents(client, rows.slice(first, first + rowsAtOnce));
  }
  return stored;
}

function rowsOf({ entry, requests }: ParsedEntry): EventRow[] {
  // An event has no identity but its place in an entry, whose bytes are the same whenever it is read.
  const digest = hash('sha256', entry.bytes, 'hex');
  return requests.map((event, place) => rowOf(event, `${entry.list.key}:${digest}:${place}`));
}

function rowOf(event: RequestEvent & SandboxMark, fact: string): EventRow {
  const { kind, environmentId, subject, sessionId, reservationId, at, contentId } = event;
  const time = at * 1000;
  return {
    time,
    id: eventId(time, fact),
    type: kind,
    scopeId: environmentId,
    subject,
    sessionId,
    reservationId,
    contentId,
    data: dataOf(event),
  };
}

function dataOf(event: RequestEvent & SandboxMark): Record<string, unknown> {
  const { contentType, drmSystem, applicationId, clientPlatform, count, code } = event;
  const details = { contentType, drmSystem, applicationId, clientPlatform, ...dataOfMark(event) };
  if (event.kind === 'session.refused') {
    const { limit, activeSessions } = event;
    return { ...details, code, limit, activeSessions, count };
  }
  const { backend, vendorStatus, milliseconds } = event;
  return { ...details, backend, code, vendorStatus, milliseconds, count };
}
