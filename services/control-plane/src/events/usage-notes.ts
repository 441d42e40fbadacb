import type { ClientBase } from 'pg';
import { type Column, insertRows, isoOf, rowsAs } from './bulk-rows';

/** The events that usage counts. */
export const countedTypes = [
  'session.started',
  'session.ended',
  'session.refused',
  'license.issued',
  'license.refused',
] as const;

/** What is noted of an event. */
interface NotedEvent {
  /** Microseconds since 1970. */
  time: number;
  type: string;
  scopeId: string;
  subject: string | null;
  data: Record<string, unknown>;
}

/** How many days the viewers of a day are kept. */
export const viewerDays = 62;

const minuteMicroseconds = 60_000_000;

interface DirtyMinute {
  environmentId: string;
  /** Microseconds since 1970. */
  minute: number;
}

const minuteColumns: Column<DirtyMinute>[] = [
  { name: 'environment_id', type: 'uuid', value: ({ environmentId }) => environmentId },
  { name: 'minute', type: 'timestamptz', value: ({ minute }) => isoOf(minute) },
];

const viewerColumns: Column<NotedEvent>[] = [
  { name: 'environment_id', type: 'uuid', value: ({ scopeId }) => scopeId },
  { name: 'day', type: 'date', value: ({ time }) => isoOf(time).slice(0, 10) },
  { name: 'subject', type: 'text', value: ({ subject }) => subject },
];

/**
 * Notes what new events change of usage, in the transaction that stores them: the minutes to recompute, and the viewers of the day. A note
 * never waits for another one, so minutes may be noted several times.
 */
export async function noteUsage(client: ClientBase, events: readonly NotedEvent[]): Promise<void> {
  const counted = events.filter(
    ({ type, data }) => data.sandbox !== true && countedTypes.some((each) => each === type),
  );
  if (counted.length === 0) return;
  const minutes = new Map<string, DirtyMinute>();
  for (const { scopeId, time } of counted) {
    const minute = time - (time % minuteMicroseconds);
    minutes.set(`${scopeId}:${minute}`, { environmentId: scopeId, minute });
  }
  const { table, values } = rowsAs('noted', minuteColumns, [...minutes.values()]);
  await client.query(`INSERT INTO usage_dirty_minute (environment_id, minute) SELECT * FROM ${table}`, values);
  const starts = counted.filter(({ type }) => type === 'session.started');
  await insertRows(client, 'viewer_day', viewerColumns, starts, 'environment_id::text');
}
