/** A session as a test knows it. Times in microseconds since 1970. */
export interface KnownSession {
  startedAt: number;
  /** undefined: open. */
  endedAt: number | undefined;
  reason: string;
}

/** What is expected of an interval. */
export interface NaiveUsage {
  started: number;
  ended: Record<string, number>;
  peak: number;
  seconds: number;
}

/** Counts what sessions did from one time to another, by looking at every session. Times in microseconds since 1970. */
export function naiveUsage(sessions: readonly KnownSession[], from: number, to: number, now: number): NaiveUsage {
  const isIn = (time: number | undefined) => time !== undefined && time >= from && time < to;
  const changes = sessions.flatMap(({ startedAt, endedAt }) => [
    { time: startedAt, streams: 1 },
    ...(endedAt === undefined ? [] : [{ time: endedAt, streams: -1 }]),
  ]);
  // Ends come first.
  changes.sort((one, other) => one.time - other.time || one.streams - other.streams);
  const before = changes.filter(({ time }) => time < from).reduce((sum, { streams }) => sum + streams, 0);
  let [streams, peak] = [before, before];
  for (const change of changes.filter(({ time }) => isIn(time))) {
    streams += change.streams;
    peak = Math.max(peak, streams);
  }
  const ended: Record<string, number> = {};
  for (const { endedAt, reason } of sessions) if (isIn(endedAt)) ended[reason] = (ended[reason] ?? 0) + 1;
  const microseconds = sessions.reduce((sum, { startedAt, endedAt = now }) => {
    return sum + Math.max(0, Math.min(endedAt, to, now) - Math.max(startedAt, from));
  }, 0);
  return {
    started: sessions.filter(({ startedAt }) => isIn(startedAt)).length,
    ended,
    peak,
    seconds: microseconds / 1e6,
  };
}
