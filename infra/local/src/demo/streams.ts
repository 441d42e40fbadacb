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

  constructor(private readonly playback: PlaybackClient) {}

  async start(viewerId: string): Promise<StartedStream> {
    const session = await this.playback.createSession(viewerId);
    return { number: this.numberOf(viewerId, session.sessionId), session };
  }

  async list(viewerId: string): Promise<Stream[]> {
    const sessions = await this.playback.listSessions(viewerId);
    return sessions.map((session) => this.describe(viewerId, session));
  }

  /** Ends one of the viewer's streams; false where the viewer has none of that number. */
  async stop(viewerId: string, number: number): Promise<boolean> {
    const entries = [...(this.numbers.get(viewerId) ?? [])];
    const sessionId = entries.find(([, given]) => given === number)?.[0];
    if (sessionId === undefined) return false;
    await this.playback.terminateSession(viewerId, sessionId);
    return true;
  }

  /** A refusal without ids, contents and the service's own details. */
  describeRefusal(viewerId: string, { problem }: PlaybackRefusal): Refusal {
    const { code, limit, activeSessions } = problem;
    if (code !== 'concurrent_stream_limit_reached') return { code };
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

  private numberOf(viewerId: string, sessionId: string): number {
    const numbers = this.numbers.get(viewerId) ?? new Map<string, number>();
    this.numbers.set(viewerId, numbers);
    const number = numbers.get(sessionId) ?? numbers.size + 1;
    numbers.set(sessionId, number);
    return number;
  }
}
