import { isUuid } from '@multi-drm/service-kit';
import { type EventList, type RequestEvent, readRequestEvents, readSlotEvent, type SlotEvent } from '@multi-drm/slots';
import { dayOf } from './bulk-rows';
import type { SandboxMark } from './sandbox-mark';

/** Why an entry cannot be stored. */
export type SetAsideReason =
  | 'wrong-form'
  | 'too-long'
  | 'unknown-environment'
  | 'outside-partitions'
  | 'refused-by-database';

/** An entry of a list in Redis. */
export interface Entry {
  list: EventList;
  bytes: Buffer;
}

/** An entry with the events that it has. */
export interface ParsedEntry {
  entry: Entry;
  slot: (SlotEvent & SandboxMark) | null;
  requests: (RequestEvent & SandboxMark)[];
  environmentIds: string[];
  /** The days, such as `20261130`, of its events and of the start of its session, which need partitions. */
  days: string[];
}

/** The largest entry of a slot. */
const maximumBytes = 8 * 1024;

/** Reads an entry; returns why it cannot be stored if it has no form that this release knows. */
export function readEntry(entry: Entry): ParsedEntry | SetAsideReason {
  if (entry.list.kind === 'slot' && entry.bytes.length > maximumBytes) return 'too-long';
  try {
    return entry.list.kind === 'slot' ? slotEntry(entry) : requestEntry(entry);
  } catch {
    return 'wrong-form';
  }
}

function slotEntry(entry: Entry): ParsedEntry {
  const slot = readSlotEvent(entry.bytes);
  if (!isUuid(slot.environmentId) || !isUuid(slot.reservationId)) throw new TypeError('not an id');
  timeOf(slot.expiresAt * 1000);
  const days = [dayOf(timeOf(slot.at)), dayOf(timeOf(slot.startedAt))];
  return { entry, slot, requests: [], environmentIds: [slot.environmentId], days };
}

function requestEntry(entry: Entry): ParsedEntry {
  const requests = readRequestEvents(entry.bytes);
  if (
    !requests.every(
      ({ environmentId, reservationId }) => isUuid(environmentId) && isUuid(reservationId ?? environmentId),
    )
  ) {
    throw new TypeError('not an id');
  }
  return {
    entry,
    slot: null,
    requests,
    environmentIds: [...new Set(requests.map(({ environmentId }) => environmentId))],
    days: [...new Set(requests.map(({ at }) => dayOf(timeOf(at * 1000))))],
  };
}

/** The year 3000, in microseconds since 1970: a time that every form of it can hold. */
export const latestTime = 32_503_680_000_000_000;

function timeOf(microseconds: number): number {
  if (!(microseconds >= 0 && microseconds < latestTime)) throw new RangeError('not a time');
  return microseconds;
}
