import type { KnownSession, Ledger } from './ledger';

/** What replicas had not received when their primary was killed. */
export interface FailoverLoss {
  /** Sessions that have no slot any more. */
  starts: number;
  /** Released sessions that hold a slot again. */
  releases: number;
  /** Milliseconds between the response to the oldest lost write and the kill. */
  oldest: number;
}

/**
 * Compares the responses with the slots that replicas hold while no primary accepts writes, and notes each lost start or release in the
 * ledger. `killedAt`: milliseconds since 1970.
 */
export function noteLoss(
  ledger: Ledger,
  ofReplicas: readonly ReadonlyMap<string, unknown>[],
  killedAt: number,
): FailoverLoss {
  const isHeld = ({ sessionId }: KnownSession) => ofReplicas.some((held) => held.has(sessionId));
  const starts = ledger.allCertainlyActive().filter((session) => !isHeld(session));
  const releases = [...ledger.sessions.values()].filter((session) => session.state === 'released' && isHeld(session));
  for (const session of starts) session.state = 'start lost';
  for (const session of releases) session.state = 'release lost';
  const times = [...starts.map(({ startedAt }) => startedAt), ...releases.map(({ releasedAt = 0 }) => releasedAt)];
  return {
    starts: starts.length,
    releases: releases.length,
    oldest: Math.max(0, ...times.map((time) => killedAt - time)),
  };
}

export function textOfLoss({ starts, releases, oldest }: FailoverLoss): string {
  if (starts + releases === 0) return 'the failover lost nothing';
  return `the failover lost ${starts} started and ${releases} released sessions, the oldest ${oldest} ms before it`;
}
