import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Counts, UsageRow } from '../../stores/usage';

type UsageFigures = ControlPlaneSchemas['UsageFigures'];

/** The API form of what was counted in several intervals. Viewers cannot be added: one may have watched in each. */
export function totalFigures(rows: readonly UsageRow[]): UsageFigures {
  const [first, ...others] = rows;
  if (first !== undefined && others.length === 0) return figuresOf(first);
  return {
    peakConcurrentStreams: rows.reduce((peak, { peakConcurrentStreams: of }) => Math.max(peak, of), 0),
    streamSeconds: toMicroseconds(sumOf(rows.map(({ streamSeconds }) => streamSeconds))),
    startedSessions: sumOf(rows.map(({ startedSessions }) => startedSessions)),
    endedSessions: sumByName(rows.map(({ endedSessions }) => endedSessions)),
    refusedSessions: sumByName(rows.map(({ refusedSessions }) => refusedSessions)),
    licensesIssued: sumByName(rows.map(({ licensesIssued }) => licensesIssued)),
    licensesRefused: sumByName(rows.map(({ licensesRefused }) => licensesRefused)),
    activeViewers: rows.length === 0 ? 0 : null,
    durations: sumIfKnown(rows.map(({ durations }) => durations)),
    viewersByStreams: rows.length === 0 ? {} : null,
  };
}

/** The API form of one interval. */
export const intervalFigures = (row: UsageRow) => ({ start: row.time.toISOString(), ...figuresOf(row) });

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function figuresOf({ time: _time, value: _value, ...figures }: UsageRow): UsageFigures {
  return figures;
}

/** null if one of them is not known. */
function sumIfKnown(counts: readonly (Counts | null)[]): Counts | null {
  const known = counts.filter((each) => each !== null);
  return known.length < counts.length ? null : sumByName(known);
}

function sumByName(counts: readonly Counts[]): Counts {
  const sums: Counts = {};
  for (const [name, count] of counts.flatMap((each) => Object.entries(each))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** Without what adding fractions adds. */
const toMicroseconds = (seconds: number) => Math.round(seconds * 1_000_000) / 1_000_000;
