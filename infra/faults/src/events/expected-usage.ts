import { runOnDatabase } from '@multi-drm/test-kit';
import { Findings } from './findings';
import type { StoredSession } from './stored-sessions';

/** What happened in a minute of an environment. */
export interface MinuteUsage {
  /** When it begins, in milliseconds since 1970. */
  minute: number;
  started: number;
  ended: number;
  /** The most streams at the same time. */
  peak: number;
  streamSeconds: number;
}

const minuteMilliseconds = 60_000;

/** Counts minutes by looking at every session in each of them, from the first start to the last end. */
export function naiveUsage(sessions: readonly StoredSession[]): MinuteUsage[] {
  const lives = sessions.flatMap(({ starts: [start], ends: [end] }) =>
    start === undefined ? [] : [{ from: start.at, to: end?.at ?? Number.POSITIVE_INFINITY }],
  );
  const times = lives
    .flatMap(({ from, to }) => (Number.isFinite(to) ? [from, to] : [from]))
    .sort((one, other) => one - other);
  const [earliest = 0, latest = -1] = [times[0], times.at(-1)];
  const minutes: MinuteUsage[] = [];
  const first = Math.floor(earliest / minuteMilliseconds) * minuteMilliseconds;
  for (let minute = first; minute <= latest; minute += minuteMilliseconds) {
    const next = minute + minuteMilliseconds;
    const present = lives.filter(({ from, to }) => from < next && to >= minute);
    const started = present.filter(({ from }) => from >= minute);
    // Times have whole microseconds, and are numbers of milliseconds here.
    const microseconds = present.reduce(
      (sum, { from, to }) => sum + Math.round((Math.min(to, next) - Math.max(from, minute)) * 1_000),
      0,
    );
    minutes.push({
      minute,
      started: started.length,
      ended: present.filter(({ to }) => to < next).length,
      peak: peakOf(present, minute, next),
      streamSeconds: microseconds / 1_000_000,
    });
  }
  return minutes;
}

/** At the same time, ends come before starts. */
function peakOf(lives: readonly { from: number; to: number }[], minute: number, next: number): number {
  const changes = lives.flatMap(({ from, to }) => [
    ...(from >= minute ? [{ at: from, streams: 1 }] : []),
    ...(to < next ? [{ at: to, streams: -1 }] : []),
  ]);
  changes.sort((one, other) => one.at - other.at || one.streams - other.streams);
  let streams = lives.filter(({ from }) => from < minute).length;
  let peak = streams;
  for (const change of changes) {
    streams += change.streams;
    peak = Math.max(peak, streams);
  }
  return peak;
}

interface StoredMinute {
  minute: Date;
  started: number;
  ended: number;
  peak: number;
  area: string;
}

/** Returns the stored minutes of an environment in which something has happened. */
export async function storedUsage(databaseUrl: string, environmentId: string): Promise<MinuteUsage[]> {
  const hours = await runOnDatabase<{ hour: Date; level: number }>(
    databaseUrl,
    `SELECT time AS hour, level FROM usage_hour WHERE scope_id = $1 AND dimension = '' ORDER BY time`,
    [environmentId],
  );
  const rows = await runOnDatabase<StoredMinute>(
    databaseUrl,
    `SELECT time AS minute, started, ended, peak, area::text FROM usage_minute WHERE scope_id = $1 AND dimension = '' ORDER BY time`,
    [environmentId],
  );
  const levels = new Map(hours.map(({ hour, level }) => [hour.getTime(), level]));
  return rows.map(({ minute, started, ended, peak, area }) => {
    const hour = minute.getTime() - (minute.getTime() % (60 * minuteMilliseconds));
    const level = levels.get(hour) ?? 0;
    levels.set(hour, level + started - ended);
    const streamSeconds = level * 60 + Number(area) / 1_000_000;
    return { minute: minute.getTime(), started, ended, peak: level + peak, streamSeconds };
  });
}

/** Whether every minute in which something has changed is recomputed. */
export async function isRecomputed(databaseUrl: string): Promise<boolean> {
  return (
    (await runOnDatabase(databaseUrl, 'SELECT 1 FROM usage_dirty_minute WHERE NOT is_recomputed LIMIT 1')).length === 0
  );
}

/** Compares stored minutes with the naive count of the sessions. Minutes in which nothing happened are not stored. */
export function compareUsage(sessions: readonly StoredSession[], stored: readonly MinuteUsage[]): string[] {
  const findings = new Findings();
  const known = new Map(stored.map((usage) => [usage.minute, usage]));
  for (const expected of naiveUsage(sessions)) {
    const actual = known.get(expected.minute);
    known.delete(expected.minute);
    if (expected.started + expected.ended === 0 && actual === undefined) continue;
    const example = JSON.stringify({ expected, actual });
    for (const name of ['started', 'ended', 'peak'] as const) {
      if (actual?.[name] !== expected[name]) findings.add(`a minute of usage with another number: ${name}`, example);
    }
    const difference = Math.abs((actual?.streamSeconds ?? 0) - expected.streamSeconds);
    if (difference >= 0.000_001) findings.add('a minute of usage with other stream seconds', example);
  }
  for (const usage of known.values()) findings.add('a minute of usage without a session', JSON.stringify(usage));
  return findings.sentences;
}
