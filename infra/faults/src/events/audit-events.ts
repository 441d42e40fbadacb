import type { KnownSession } from '@multi-drm/test-kit/load/ledger';
import type { Load } from '@multi-drm/test-kit/load/load';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import type { Outcome } from '../outcome';
import { lookUpOpenSessions, releaseAll } from './end-sessions';
import { EventLists } from './event-lists';
import type { Interval } from './expected-sessions';
import { Findings } from './findings';
import { reasonsOf, type StoredSession, storedSessions } from './stored-sessions';

/**
 * Ends every session after a load, and adds to the outcome what is wrong with the stored events: each session must have one start and one
 * end, and each that a caller was told of must be stored.
 *
 * @param lost when calls were answered whose effect Redis may have lost, and with it their events
 */
export async function auditEvents(
  stage: Stage<StageRedis>,
  load: Load,
  outcome: Outcome,
  lost: Interval = { from: Number.POSITIVE_INFINITY, to: 0 },
): Promise<void> {
  const { databaseUrl, customer } = stage;
  const lists = new EventLists(stage.redis);
  await releaseAll(stage);
  await lists.untilRead().finally(() => lists.close());
  await lookUpOpenSessions(databaseUrl, customer.siteId);
  const stored = await storedSessions(databaseUrl, customer.siteId);
  const findings = new Findings();
  for (const session of stored) {
    const { starts, ends, isEnded } = session;
    if (starts.length !== 1) findings.add(`a session with ${starts.length} starts`, JSON.stringify(session));
    if (ends.length !== 1) findings.add(`a session with ${ends.length} ends`, JSON.stringify(session));
    if (isEnded !== true) findings.add('a session whose row is not ended', JSON.stringify(session));
  }
  const byId = new Map(stored.map((session) => [session.sessionId, session]));
  const isLost = (time = 0) => time >= lost.from && time <= lost.to;
  for (const known of load.ledger.sessions.values()) {
    const kind = isLost(known.startedAt) ? undefined : wrongly(known, byId.get(known.sessionId), isLost);
    if (kind !== undefined) findings.add(kind, JSON.stringify({ known: known.sessionId, state: known.state }));
  }
  outcome.broken.push(...findings.sentences);
  outcome.notes = [...(outcome.notes ?? []), `${stored.length} sessions are stored: ${reasonsOf(stored)}`];
}

/** Says what is wrong with how a session is stored; undefined if nothing is. */
function wrongly(
  { state, releasedAt }: KnownSession,
  stored: StoredSession | undefined,
  isLost: (time?: number) => boolean,
): string | undefined {
  if (state === 'start lost') return undefined;
  if (stored === undefined) return 'a session that is not stored';
  if (state !== 'released' || isLost(releasedAt)) return undefined;
  return stored.ends.some(({ reason }) => reason === 'released') ? undefined : 'a release that is not stored';
}
