/** A session as its caller knows it. */
export interface KnownSession {
  sessionId: string;
  subject: string;
  token: string;
  /** Paths at any playback process. */
  releasePath: string;
  licensePath: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** Unknown: a release was sent, and no answer says what became of it. */
  state: 'live' | 'unknown' | 'released';
}

/** Clocks and answers under way: a session that ends so soon is not counted on. */
const marginMilliseconds = 2_000;

/**
 * What the answers say of sessions: which are live, and whether more were let in than the limit. Only what is certain counts,
 * so a finding is never an error of the observer.
 */
export class Ledger {
  readonly sessions = new Map<string, KnownSession>();
  /** Subjects that had more live sessions at once than the limit, by the answers alone. */
  readonly overAdmitted: string[] = [];

  constructor(readonly limit: number) {}

  started(session: KnownSession): void {
    if (this.sessions.has(session.sessionId)) return; // the answer to a repeat
    this.sessions.set(session.sessionId, session);
    if (this.certainlyLive(session.subject).length > this.limit) this.overAdmitted.push(session.subject);
  }

  /** A release was sent: from here on nobody counts on the session. */
  releasing(session: KnownSession): void {
    session.state = 'unknown';
  }

  released(session: KnownSession): void {
    session.state = 'released';
  }

  /** Redis lost everything: no session that began before is held any more. */
  forgetAll(): void {
    this.sessions.clear();
  }

  certainlyLive(subject: string): KnownSession[] {
    const until = Date.now() + marginMilliseconds;
    return [...this.sessions.values()].filter(
      (session) => session.subject === subject && session.state === 'live' && session.expiresAt > until,
    );
  }

  allCertainlyLive(): KnownSession[] {
    const until = Date.now() + marginMilliseconds;
    return [...this.sessions.values()].filter(({ state, expiresAt }) => state === 'live' && expiresAt > until);
  }
}
