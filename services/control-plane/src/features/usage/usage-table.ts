import type { UsageRow } from '../../stores/usage';
import { type Cell, csvOf } from './csv';
import { sumOf } from './usage-figures';
import type { UsageQuery } from './usage-query';

/** What is counted by name: a column for the sum, and one for each name that occurs. */
const countedByName = {
  endedSessions: ({ ended }: UsageRow) => ended,
  refusedSessions: ({ refused }: UsageRow) => refused,
  licensesIssued: ({ licensesIssued }: UsageRow) => licensesIssued,
  licensesRefused: ({ licensesRefused }: UsageRow) => licensesRefused,
};

/** A row for each interval, or for each interval and value, with the names of the JSON form. */
export function usageTable(rows: readonly UsageRow[], groupBy: UsageQuery['groupBy']): string {
  const counted = Object.entries(countedByName).map(([name, countsOf]) => {
    const kinds = [...new Set(rows.flatMap((row) => Object.keys(countsOf(row))))].sort();
    return { name, countsOf, kinds };
  });
  const header = [
    'start',
    ...(groupBy === null ? [] : [groupBy]),
    'peakConcurrentStreams',
    'streamSeconds',
    'startedSessions',
    'activeViewers',
    ...counted.flatMap(({ name, kinds }) => [name, ...kinds.map((kind) => `${name}.${kind}`)]),
  ];
  const cellsOf = (row: UsageRow): Cell[] => [
    row.start.toISOString(),
    ...(groupBy === null ? [] : [row.value]),
    row.peak,
    row.areaMilliseconds / 1000,
    row.started,
    row.activeViewers,
    ...counted.flatMap(({ countsOf, kinds }) => {
      const counts = countsOf(row);
      return [sumOf(Object.values(counts)), ...kinds.map((kind) => counts[kind] ?? 0)];
    }),
  ];
  return csvOf(header, rows.map(cellsOf));
}
