import type { LiveSession, PlaybackClient, PlaybackRefusal, Session } from './playback-client';

/** A live session in words that are fit for the viewer's browser: without its id. */
export interface Stream {
  /** The site's own number for it. */
  number: number;
  platform: string;
  startedAt: string;
  secondsLeft: number;
  licenseRequests: number | null;
}

export interface StartedStream {
  number: number;
  session: Session;
}

/** What the browser learns of a refusal. */
export interface Refusal {
  code: string;
  limit?: number;
  streams?: Stream[];
}

/**
 * The streams of the site's viewers. Session ids stay here, behind numbers: whoever knows an id of a session could ask
 * for its end.
 */
export class Streams {
  private readonly numbers = new Map<string, Map<string, number>>();
  /** As the service said last, by viewer. */
  private readonly limits = new Map<string, number | null>();

  constructor(private readonly playback: PlaybackClient) {}

  /** Starts a stream, in the place of another one of the viewer's where its number is given and known. */
  async start(viewerId: string, replaces?: number): Promise<StartedStream> {
    const session = await this.playback.createSession(viewerId, this.sessionIdOf(viewerId, replaces));
    this.limits.set(viewerId, session.policy.maximumConcurrentStreams);
    return { number: this.numberOf(viewerId, session.sessionId), session };
  }

  /** How many streams the viewer may have at once; null where there is no limit. */
  async limit(viewerId: string): Promise<number | null> {
    const known = this.limits.get(viewerId);
    if (known !== undefined) return known;
    const limit = await this.playback.streamLimit(viewerId);
    this.limits.set(viewerId, limit);
    return limit;
  }

  async list(viewerId: string): Promise<Stream[]> {
    const sessions = await this.playback.listSessions(viewerId);
    return sessions.map((session) => this.describe(viewerId, session));
  }

  /** Ends one of the viewer's streams; false where the viewer has none of that number. */
  async stop(viewerId: string, number: number): Promise<boolean> {
    const sessionId = this.sessionIdOf(viewerId, number);
    if (sessionId === undefined) return false;
    await this.playback.terminateSession(viewerId, sessionId);
    return true;
  }

  /** A refusal without ids, contents and the service's own details. */
  describeRefusal(viewerId: string, { problem }: PlaybackRefusal): Refusal {
    const { code, limit, activeSessions } = problem;
    if (code !== 'concurrent_stream_limit_reached') return { code };
    if (limit !== undefined) this.limits.set(viewerId, limit);
    const streams = (activeSessions ?? []).map((session) => this.describe(viewerId, session));
    return limit === undefined ? { code, streams } : { code, limit, streams };
  }

  private describe(
    viewerId: string,
    session: Pick<LiveSession, 'sessionId' | 'startedAt' | 'expiresAt' | 'clientPlatform'> & Partial<LiveSession>,
  ): Stream {
    return {
      number: this.numberOf(viewerId, session.sessionId),
      platform: session.clientPlatform ?? 'unknown',
      startedAt: session.startedAt,
      secondsLeft: Math.max(0, Math.round((Date.parse(session.expiresAt) - Date.now()) / 1000)),
      licenseRequests: session.licenseRequests ?? null,
    };
  }

  private sessionIdOf(viewerId: string, number: number | undefined): string | undefined {
    const entries = [...(this.numbers.get(viewerId) ?? [])];
    return entries.find(([, given]) => given === number)?.[0];
  }

  private numberOf(viewerId: string, sessionId: string): number {
    const numbers = this.numbers.get(viewerId) ?? new Map<string, number>();
    this.numbers.set(viewerId, numbers);
    const number = numbers.get(sessionId) ?? numbers.size + 1;
    numbers.set(sessionId, number);
    return number;
  }
}
