import type { PlaybackProblemCode, ProblemDocument, SessionInUse } from './types';

/** What a viewer's browser may see of a call that failed: no ids, no contents, no times of sessions. */
export interface RefusalForBrowser {
  /** Of the problem; `service_unavailable` if there was no readable answer. */
  code: PlaybackProblemCode | (string & {});
  /** Whether the same attempt may succeed later. */
  retryable: boolean;
  retryAfterSeconds?: number;
  /** At the viewer's stream limit: how many streams the viewer may have. */
  limit?: number;
  /** At the viewer's stream limit: the platform of each active session, oldest first; `unknown` if it was not named. */
  devices?: string[];
}

/** A call of the playback service that did not succeed. */
export abstract class PlaybackError extends Error {
  /** Whether the same call may succeed later. */
  abstract readonly retryable: boolean;
  /** After how many seconds to try again, if the answer said so. */
  readonly retryAfterSeconds?: number;

  constructor(message: string, retryAfterSeconds?: number, options?: ErrorOptions) {
    super(message, options);
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The part that may be sent to the viewer's browser. */
  forBrowser(): RefusalForBrowser {
    const { retryable, retryAfterSeconds } = this;
    const seen = { code: 'service_unavailable', retryable };
    return retryAfterSeconds === undefined ? seen : { ...seen, retryAfterSeconds };
  }
}

/** The service refused the call, with a problem document. */
export class PlaybackProblem extends PlaybackError {
  override readonly name = 'PlaybackProblem';
  /** Decide by this; for an unknown code by `status` and `retryable`. */
  readonly code: PlaybackProblemCode | (string & {});
  readonly status: number;
  readonly retryable: boolean;
  /** Log it, and name it when you ask the operator for support. */
  readonly requestId: string;
  /** What went wrong, for developers. */
  readonly detail: string;
  /** With `invalid_request`: the messages by field. */
  readonly errors?: Record<string, string[]>;
  /** At the viewer's stream limit: how many streams the viewer may have. */
  readonly limit?: number;
  readonly #activeSessions: readonly SessionInUse[] | undefined;

  constructor(problem: ProblemDocument, status: number, retryAfterSeconds?: number) {
    const { code, retryable, requestId, detail, errors, limit, activeSessions } = problem;
    super(`${code}: ${detail} (request ${requestId})`, retryAfterSeconds);
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.requestId = requestId;
    this.detail = detail;
    if (errors !== undefined) this.errors = errors;
    if (typeof limit === 'number') this.limit = limit;
    if (Array.isArray(activeSessions)) this.#activeSessions = activeSessions;
  }

  /**
   * At the viewer's stream limit: the sessions that use the streams, oldest first, at most 20. Not a property of its own, so that an error
   * that is logged, or sent to a browser as JSON, does not tell what another member of the household watches.
   */
  get activeSessions(): readonly SessionInUse[] | undefined {
    return this.#activeSessions;
  }

  override forBrowser(): RefusalForBrowser {
    const seen: RefusalForBrowser = { ...super.forBrowser(), code: this.code };
    if (this.limit !== undefined) seen.limit = this.limit;
    const devices = this.#activeSessions?.map(({ clientPlatform }) => clientPlatform ?? 'unknown');
    if (devices !== undefined) seen.devices = devices;
    return seen;
  }
}

/** There was no answer: no connection, a time-out, or an answer that broke off. `cause` says which. */
export class NoAnswerError extends PlaybackError {
  override readonly name = 'NoAnswerError';
  readonly retryable = true;
}

/** An answer that is not of the service, such as a proxy's page, or that this version cannot read. The text of the answer is not kept. */
export class UnreadableAnswerError extends PlaybackError {
  override readonly name = 'UnreadableAnswerError';
  /** The HTTP status. */
  readonly status: number;
  readonly retryable: boolean;

  constructor(message: string, status: number, retryable: boolean, retryAfterSeconds?: number) {
    super(message, retryAfterSeconds);
    this.status = status;
    this.retryable = retryable;
  }
}
