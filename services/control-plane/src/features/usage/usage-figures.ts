import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { UsageRow } from '../../stores/usage';

type UsageFigures = ControlPlaneSchemas['UsageFigures'];

/** The API form of what was counted in one interval. */
export function usageFigures(row: Omit<UsageRow, 'value' | 'start'>): UsageFigures {
  return {
    peakConcurrentStreams: row.peak,
    streamSeconds: row.areaMilliseconds / 1000,
    startedSessions: row.started,
    endedSessions: row.ended,
    refusedSessions: row.refused,
    licensesIssued: row.licensesIssued,
    licensesRefused: row.licensesRefused,
    activeViewers: row.activeViewers,
    durations: row.durations,
    viewersByStreams: row.viewersByStreams,
  };
}

/** What was counted in several intervals. Viewers of several cannot be added: one may have watched in each. */
export function totalFigures(rows: readonly UsageRow[]): UsageFigures {
  const [first, ...others] = rows;
  if (first !== undefined && others.length === 0) return usageFigures(first);
  return usageFigures({
    peak: Math.max(0, ...rows.map(({ peak }) => peak)),
    areaMilliseconds: sumOf(rows.map(({ areaMilliseconds }) => areaMilliseconds)),
    started: sumOf(rows.map(({ started }) => started)),
    ended: sumByName(rows.map(({ ended }) => ended)),
    refused: sumByName(rows.map(({ refused }) => refused)),
    licensesIssued: sumByName(rows.map(({ licensesIssued }) => licensesIssued)),
    licensesRefused: sumByName(rows.map(({ licensesRefused }) => licensesRefused)),
    activeViewers: rows.length === 0 ? 0 : null,
    durations: null,
    viewersByStreams: null,
  });
}

/** Adds up numbers by name. */
function sumByName(counts: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((each) => Object.entries(each))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
