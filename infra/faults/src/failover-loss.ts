import { setTimeout as sleep } from 'node:timers/promises';
import type { KnownSession, Ledger } from '@multi-drm/test-kit/load/ledger';
import type { Cluster, Redis } from 'ioredis';
import { heldSlots } from './slot-audit';

/** What replicas had not received when their primary was killed. */
export interface FailoverLoss {
  /** Sessions that have no slot any more. */
  starts: number;
  /** Released sessions that hold a slot again. */
  releases: number;
  /** When the first and the last of them got their responses; milliseconds since 1970. Undefined if nothing is lost. */
  first?: number;
  last?: number;
}

/** Milliseconds within which calls that were pending at the kill get their responses, and replicas apply what they have received. */
const settling = 250;

/**
 * Compares the responses with the slots that replicas hold, after their primary was killed and before one of them is promoted; takes half
 * a second. Notes each lost start or release in the ledger. Disconnects from the replicas.
 *
 * `refusedSince`: if set, no primary has accepted writes for some time, so that a session with an unanswered release is still active if
 * it started later than this; milliseconds since 1970.
 */
export async function noteLoss(
  ledger: Ledger,
  replicas: readonly (Redis | Cluster)[],
  environmentId: string,
  refusedSince = Number.POSITIVE_INFINITY,
): Promise<FailoverLoss> {
  await sleep(settling);
  const known = [...ledger.sessions.values()];
  const released = known.filter(({ state }) => state === 'released');
  const started = known
    .filter(({ state, startedAt }) => state === 'active' || (state === 'unknown' && startedAt > refusedSince))
    .map((session) => ({ session, state: session.state }));
  // Replicas of other primaries may be receiving the latest of these.
  await sleep(settling);
  const held = await Promise.all(replicas.map((replica) => heldSlots(replica, environmentId)));
  const isHeld = ({ sessionId }: KnownSession) => held.some((slots) => slots.has(sessionId));
  // Other primaries may meanwhile have executed a release.
  const starts = started.flatMap(({ session, state }) =>
    session.state === state && !isHeld(session) ? [session] : [],
  );
  const releases = released.filter(isHeld);
  for (const session of starts) session.state = 'start lost';
  for (const session of releases) session.state = 'release lost';
  const times = [...starts.map(({ startedAt }) => startedAt), ...releases.map(({ releasedAt = 0 }) => releasedAt)];
  const lost = { starts: starts.length, releases: releases.length };
  return times.length === 0 ? lost : { ...lost, first: Math.min(...times), last: Math.max(...times) };
}

/** Viewers who may watch more streams than the limit allows, because the failover lost the start of some. */
export function viewersBeyondLimit({ limit, sessions }: Ledger): number {
  const streams = new Map<string, { active: number; lost: number }>();
  for (const { subject, state } of sessions.values()) {
    const { active, lost } = streams.get(subject) ?? { active: 0, lost: 0 };
    streams.set(subject, {
      active: active + (state === 'active' ? 1 : 0),
      lost: lost + (state === 'start lost' ? 1 : 0),
    });
  }
  return [...streams.values()].filter(({ active, lost }) => lost > 0 && active + lost > limit).length;
}
