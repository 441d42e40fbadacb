import type { ActiveSession, PlaybackProblem, PlaybackSession } from '@multi-drm/client';
import type { DemoPlayback } from './playback-client';

/** An active session as shown to the viewer's browser: without its id. */
export interface Stream {
  /** The site's own number for the stream. */
  number: number;
  platform: string;
  startedAt: string;
  secondsLeft: number;
  licenseRequests: number | null;
}

export interface StartedStream {
  number: number;
  session: PlaybackSession;
}

/** A refusal as shown to the browser. */
export interface Refusal {
  code: string;
  limit?: number;
  streams?: Stream[];
}

/**
 * The streams of the site's viewers. Browsers get numbers instead of session ids, because an id could be used to ask for a session's
 * end.
 */
export class Streams {
  private readonly numbers = new Map<string, Map<string, number>>();
  /** The last known limit by viewer. */
  private readonly limits = new Map<string, number | null>();

  constructor(private readonly playback: DemoPlayback) {}

  /** Starts a stream of a title, replacing the viewer's stream with the given number if there is one. */
  async start(viewerId: string, contentId: string, replaces?: number): Promise<StartedStream> {
    const session = await this.playback.createSession(viewerId, contentId, this.sessionIdOf(viewerId, replaces));
    this.limits.set(viewerId, session.policy.maximumConcurrentStreams);
    return { number: this.numberOf(viewerId, session.sessionId), session };
  }

  /** Returns the viewer's limit of concurrent streams; null if there is none. */
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

  /** Ends one of the viewer's streams; returns false if the viewer has none with that number. */
  async stop(viewerId: string, number: number): Promise<boolean> {
    const sessionId = this.sessionIdOf(viewerId, number);
    if (sessionId === undefined) return false;
    await this.playback.terminateSession(viewerId, sessionId);
    return true;
  }

  /** Describes a refusal without ids, content or the service's details. */
  describeRefusal(viewerId: string, { code, limit, activeSessions }: PlaybackProblem): Refusal {
    if (code !== 'concurrent_stream_limit_reached') return { code };
    if (limit !== undefined) this.limits.set(viewerId, limit);
    const streams = (activeSessions ?? []).map((session) => this.describe(viewerId, session));
    return limit === undefined ? { code, streams } : { code, limit, streams };
  }

  private describe(
    viewerId: string,
    session: Pick<ActiveSession, 'sessionId' | 'startedAt' | 'expiresAt' | 'clientPlatform'> & Partial<ActiveSession>,
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
