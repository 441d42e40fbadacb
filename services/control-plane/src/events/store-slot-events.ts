import type { SlotEvent } from '@multi-drm/slots';
import type { ClientBase } from 'pg';
import { isoOf } from './bulk-rows';
import { eventId } from './event-id';
import { dataOfDetails, type EventRow, type EventType, insertEvents } from './event-rows';
import { dataOfMark, type SandboxMark } from './sandbox-mark';
import {
  type ChangedSession,
  type EventSession,
  endSessions,
  findSessions,
  insertSessions,
  keyOf,
  resumeSessions,
  type SessionEnd,
} from './session-rows';

type MarkedEvent = SlotEvent & SandboxMark;
type Ended = Extract<MarkedEvent, { kind: 'ended' }>;
type Resumed = Extract<MarkedEvent, { kind: 'resumed' }>;

/**
 * Stores what happened to slots, and the sessions that hold them, in the transaction of the client. Nothing is stored twice: not a start
 * that is appended again, and only the first end of a session. An end or a resumption without its start adds the start.
 *
 * @param events in the order in which it happened to each session. Returns how many events are new.
 */
export async function storeSlotEvents(client: ClientBase, events: readonly MarkedEvent[]): Promise<number> {
  const firsts = new Map<string, MarkedEvent>();
  for (const event of events) if (!firsts.has(event.reservationId)) firsts.set(event.reservationId, event);
  const starts = [...firsts.values()].filter(({ kind }) => kind === 'started');
  const others = [...firsts.values()].filter(({ kind }) => kind !== 'started');
  const keys = await findSessions(client, others);
  const missing = others.filter(({ reservationId }) => !keys.has(reservationId));
  for (const { reservationId, startedAt } of [...starts, ...missing]) keys.set(reservationId, keyOf(startedAt));
  const added = await insertSessions(client, [...starts, ...missing]);

  const { resumptions, ends } = changesOf(events);
  const withKey = <Event extends SlotEvent>(event: Event) => ({
    ...event,
    startedAt: keys.get(event.reservationId) ?? keyOf(event.startedAt),
  });
  const lastResumptions = new Map(resumptions.map((event) => [event.reservationId, event]));
  const resumed = await resumeSessions(client, [...lastResumptions.values()].map(withKey));
  const ended = await endSessions(client, ends.map(withKey));

  const counted = new Map<MarkedEvent, ChangedSession>([...changedOf(resumptions, resumed), ...changedOf(ends, ended)]);
  const rows = events.flatMap((event) => {
    const isFirst = firsts.get(event.reservationId) === event;
    const start = isFirst && added.has(event.reservationId) ? [startedRow(event)] : [];
    const changed = counted.get(event);
    return changed === undefined ? start : [...start, changeRow({ ...event, sandbox: changed.sandbox })];
  });
  return insertEvents(client, rows);
}

/** The events that have changed a stored session, each with that session. */
function changedOf(
  events: readonly MarkedEvent[],
  changed: ReadonlyMap<string, ChangedSession>,
): [MarkedEvent, ChangedSession][] {
  return events.flatMap((event): [MarkedEvent, ChangedSession][] => {
    const session = changed.get(event.reservationId);
    return session === undefined ? [] : [[event, session]];
  });
}

/** The first end of each session, and its resumptions before that. A session that has ended is not resumed. */
function changesOf(events: readonly MarkedEvent[]): { resumptions: Resumed[]; ends: Ended[] } {
  const resumptions: Resumed[] = [];
  const ends = new Map<string, Ended>();
  for (const event of events) {
    if (ends.has(event.reservationId)) continue;
    if (event.kind === 'ended') ends.set(event.reservationId, event);
    if (event.kind === 'resumed') resumptions.push(event);
  }
  return { resumptions, ends: [...ends.values()] };
}

/** `recovered`: the start itself was not reported, or is not read any more. */
function startedRow(event: MarkedEvent): EventRow {
  const isStart = event.kind === 'started';
  return rowOf('session.started', event, event.startedAt, {
    startedAt: isoOf(event.startedAt),
    expiresAt: new Date(event.expiresAt).toISOString(),
    replacesSessionId: isStart ? event.replacesSessionId : null,
    activeSessions: isStart ? event.activeSessions : null,
    recovered: !isStart,
  });
}

function changeRow(event: MarkedEvent): EventRow {
  if (event.kind === 'ended') return endedRow(event);
  const { at, startedAt, expiresAt } = event;
  return rowOf('session.resumed', event, at, {
    startedAt: isoOf(startedAt),
    expiresAt: new Date(expiresAt).toISOString(),
  });
}

/** An end as it is reported, or as it is found. */
export type SessionEnding = EventSession & Pick<SessionEnd, 'at' | 'reason' | 'licenseRequests'>;

/** Returns the event of an end. */
export function endedRow(event: SessionEnding): EventRow {
  const { at, startedAt, reason, licenseRequests } = event;
  return rowOf('session.ended', event, at, {
    reason,
    startedAt: isoOf(startedAt),
    endedAt: isoOf(at),
    // A clock that was set back may end a session before its start.
    durationSeconds: Math.max(0, Math.round((at - startedAt) / 1000)) / 1000,
    licenseRequests,
  });
}

function rowOf(type: EventType, event: EventSession, time: number, data: Record<string, unknown>): EventRow {
  const { reservationId, environmentId, subject, sessionId, details } = event;
  return {
    time,
    id: eventId(time, `${reservationId}:${type}`, type === 'session.ended'),
    type,
    scopeId: environmentId,
    subject,
    sessionId,
    reservationId,
    contentId: details.contentId,
    data: { ...dataOfDetails(details), ...data, ...dataOfMark(event) },
  };
}
