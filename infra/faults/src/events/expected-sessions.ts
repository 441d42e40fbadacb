import { Findings } from './findings';
import type { StoredFact, StoredSession } from './stored-sessions';

/** Milliseconds since 1970. */
export interface Interval {
  from: number;
  to: number;
}

export interface ExpectedEnd extends Interval {
  reason: string;
}

/** A session as its callers know it by the answers. */
export interface ExpectedSession {
  /** Its id; its viewer, who has no other, if nobody was told the id. */
  name: string;
  /** When it was started. */
  start: Interval;
  /** Whether its caller was told that it was started; if not, it may have been. */
  isStarted: boolean;
  /** How it may have ended: in one way if every call that may end it was answered. */
  ends: ExpectedEnd[];
  /** How many license requests it had; undefined if one of them was not answered. */
  licenseRequests: number | undefined;
}

/** The clock of callers has whole milliseconds. */
const includes = ({ from, to }: Interval, { at }: StoredFact): boolean => at >= from && at <= to + 1;

/** Compares what is stored with what callers know: one start and one end of each session, with the right reason and time. */
export function compareSessions(
  expected: ReadonlyMap<string, ExpectedSession>,
  stored: readonly StoredSession[],
): string[] {
  const findings = new Findings();
  const missing = new Map([...expected].filter(([, { isStarted }]) => isStarted));
  const seen = new Set<string>();
  for (const session of stored) {
    const { sessionId, subject, starts, ends, isEnded } = session;
    const known = expected.get(sessionId) ?? expected.get(subject);
    const name = known?.name ?? sessionId;
    missing.delete(name);
    const example = () => JSON.stringify({ ...session, known });
    if (known === undefined) findings.add('a session that nobody started', example());
    if (seen.has(name)) findings.add('two sessions of one create', example());
    seen.add(name);
    if (starts.length !== 1) findings.add(`a session with ${starts.length} starts`, example());
    if (ends.length !== 1) findings.add(`a session with ${ends.length} ends`, example());
    if (isEnded !== true) findings.add('a session whose row is not ended', example());
    const [[start], [end]] = [starts, ends];
    if (known === undefined || start === undefined || end === undefined) continue;
    if (!includes(known.start, start)) findings.add('a start outside of its call', example());
    const possible = known.ends.filter(({ reason }) => reason === end.reason);
    if (possible.length === 0) findings.add(`an end as ${end.reason} that nobody caused`, example());
    else if (!possible.some((call) => includes(call, end))) {
      findings.add(`an end as ${end.reason} at another time`, example());
    }
    if (known.licenseRequests !== undefined && known.licenseRequests !== end.licenseRequests) {
      findings.add('an end with another number of license requests', example());
    }
  }
  for (const session of missing.values()) findings.add('a session that is not stored', JSON.stringify(session));
  return findings.sentences;
}
