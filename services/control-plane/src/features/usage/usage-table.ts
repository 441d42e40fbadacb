import { setImmediate as untilOthersRan } from 'node:timers/promises';
import { portions } from '@multi-drm/service-kit';
import type { Counts, UsageRow } from '../../stores/usage';
import { type Cell, csvOf } from './csv';
import { sumOf } from './usage-figures';
import type { UsageQuery } from './usage-query';

/** What is counted by name: a column for the sum, and one for each name that occurs. */
const countedByName = ['endedSessions', 'refusedSessions', 'licensesIssued', 'licensesRefused'] as const;

/** The same, but not known of every interval. Nothing is known from their sum. */
const histograms = ['durations', 'viewersByStreams'] as const;

/** How many rows are written at a time: others are answered in between. */
const rowsAtOnce = 2_000;

/** A row for each interval, or for each interval and value, with the names of the JSON form, as CSV. */
export async function usageTable(rows: UsageRow[], groupBy: UsageQuery['groupBy']): Promise<Buffer> {
  const namesOf = (counted: keyof UsageRow & (typeof countedByName | typeof histograms)[number]) => {
    const names = new Set(rows.flatMap((row) => Object.keys(row[counted] ?? {})));
    return [...names].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  };
  const counted = countedByName.map((column) => ({ column, names: namesOf(column) }));
  const known = histograms.map((column) => ({ column, names: namesOf(column) }));
  const header = [
    'start',
    ...(groupBy === null ? [] : [groupBy]),
    'peakConcurrentStreams',
    'streamSeconds',
    'startedSessions',
    'activeViewers',
    ...counted.flatMap(({ column, names }) => [column, ...names.map((name) => `${column}.${name}`)]),
    ...known.flatMap(({ column, names }) => names.map((name) => `${column}.${name}`)),
  ];
  const cellsOf = (row: UsageRow): Cell[] => [
    row.time.toISOString(),
    ...(groupBy === null ? [] : [row.value]),
    row.peakConcurrentStreams,
    row.streamSeconds,
    row.startedSessions,
    row.activeViewers,
    ...counted.flatMap(({ column, names }) => [sumOf(Object.values(row[column])), ...cellsByName(row[column], names)]),
    ...known.flatMap(({ column, names }) => cellsByName(row[column], names)),
  ];
  const parts = [Buffer.from(csvOf([header]))];
  for (const batch of portions(rows, rowsAtOnce)) {
    parts.push(Buffer.from(csvOf(batch.map(cellsOf))));
    await untilOthersRan();
  }
  return Buffer.concat(parts);
}

/** Empty cells if they are not known. */
const cellsByName = (counts: Counts | null, names: string[]): Cell[] =>
  names.map((name) => (counts === null ? null : (counts[name] ?? 0)));
