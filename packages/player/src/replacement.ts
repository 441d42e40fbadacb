import { releaseSession } from './call';
import type { Page } from './page';
import { isSession, lifetimeOf, type PlaybackSession } from './session';

const createWithinMilliseconds = 30_000;

/** What `createSession` is called with. */
export interface ReplacementRequest {
  /** The session of this player so far. Your backend passes it on as `replacesSessionId`. */
  replacesSessionId: string;
  /** Aborted when the session is no longer wanted. One that comes later is released. */
  signal: AbortSignal;
}

export type CreateSession = (request: ReplacementRequest) => Promise<PlaybackSession>;

/**
 * Calls `createSession` once. Rejects if it rejects, does not settle in time, is not wanted any more, or returns something else than a
 * session. A session that comes too late is released, because nobody has it.
 */
export function createReplacement(
  page: Page,
  createSession: CreateSession,
  replacesSessionId: string,
  wanted: AbortController,
): Promise<PlaybackSession> {
  const { signal } = wanted;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('No session was created in time.')));
    const timer = page.setTimeout(() => wanted.abort(), createWithinMilliseconds);
    const create = async () => createSession({ replacesSessionId, signal });
    create().then(
      (session: unknown) => {
        page.clearTimeout(timer);
        if (!isSession(session)) reject(new Error('createSession returned no session response of Contract v1.'));
        else if (signal.aborted) void releaseSession(page, session, page.performance.now() + lifetimeOf(session));
        else resolve(session);
      },
      (error) => {
        page.clearTimeout(timer);
        reject(error);
      },
    );
  });
}
