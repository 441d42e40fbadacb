/** A session as known to its caller. */
export interface KnownSession {
  sessionId: string;
  subject: string;
  token: string;
  /** Paths that work at any playback process. */
  releasePath: string;
  licensePath: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** When the response to its create, and to its release, arrived; milliseconds since 1970. */
  startedAt: number;
  releasedAt?: number;
  /**
   * `unknown`: a release was sent and there was no response, or Redis has lost everything, and the session may come back. `start lost` and
   * `release lost`: a failover lost it after the response, so that the session has no slot, or still has one.
   */
  state: 'active' | 'unknown' | 'released' | 'start lost' | 'release lost';
}

/** A margin for clocks and pending responses: a session that ends within it does not count as certainly active. */
const marginMilliseconds = 2_000;

/**
 * Records from the responses which sessions are active, and whether more were admitted than the limit. Only certain facts count, so a
 * finding is never an error of the observer.
 */
export class Ledger {
  readonly sessions = new Map<string, KnownSession>();
  /** Subjects that had more active sessions at the same time than the limit, according to the responses. */
  readonly overAdmitted: string[] = [];

  constructor(readonly limit: number) {}

  started(session: KnownSession): void {
    if (this.sessions.has(session.sessionId)) return; // a response to a repeat
    this.sessions.set(session.sessionId, session);
    if (this.certainlyActive(session.subject).length > this.limit) this.overAdmitted.push(session.subject);
  }

  /** Records that a release was sent: the session is no longer certainly active. */
  releasing(session: KnownSession): void {
    session.state = 'unknown';
  }

  released(session: KnownSession): void {
    session.state = 'released';
    session.releasedAt = Date.now();
  }

  /** Records that Redis has lost everything: a call under way may still bring its session back. */
  lostAll(): void {
    for (const session of this.sessions.values()) if (session.state === 'active') session.state = 'unknown';
  }

  certainlyActive(subject: string): KnownSession[] {
    const until = Date.now() + marginMilliseconds;
    return [...this.sessions.values()].filter(
      (session) => session.subject === subject && session.state === 'active' && session.expiresAt > until,
    );
  }

  allCertainlyActive(): KnownSession[] {
    const until = Date.now() + marginMilliseconds;
    return [...this.sessions.values()].filter(({ state, expiresAt }) => state === 'active' && expiresAt > until);
  }
}
