import { type IsAnswer, member } from './answer';
import { type CallOptions, callService, type ServiceCall } from './call-service';
import { runtime, type Surroundings } from './surroundings';
import type { ActiveSession, CreateSessionRequest, Evaluation, PlaybackSession, SessionReference } from './types';

/** Where the playback service is, and the credentials of an API client. */
export interface PlaybackClientOptions {
  /** The base address of the playback service. */
  url: string;
  /** The id of the environment, which the contract's paths call `siteId`. */
  environmentId: string;
  clientId: string;
  /** It stays in this object: no error, log or inspection shows it. */
  accessKey: string;
  /** The prefix of the credential headers; `X-SERVICE` unless the operator has chosen another. */
  headerPrefix?: string;
  /** For all attempts of a call together. 15 seconds by default. */
  deadlineMilliseconds?: number;
  /** Instead of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * Receives the release of a session that a failed create may have started; it rejects if the slot could not be freed, which is then held
   * until the session expires. By default it runs in the background, and a failure is ignored.
   */
  onRelease?: (release: Promise<void>) => void;
}

const releaseMilliseconds = 60_000;

const isSession: IsAnswer = (body) => member(body, 'contractVersion') === 1 && member(body, 'drm') !== undefined;

/** Calls the playback service for a customer's backend. Never use it in a browser: it holds the access key. */
export class PlaybackClient {
  readonly #sessionsUrl: string;
  readonly #headers: Record<string, string>;
  readonly #deadlineMilliseconds: number;
  readonly #fetch: ServiceCall['fetch'];
  readonly #onRelease: PlaybackClientOptions['onRelease'];
  readonly #surroundings: Surroundings;

  /**
   * Throws a TypeError if an option is missing or cannot be sent.
   *
   * @param surroundings - for tests: clock, timers and chance
   */
  constructor(options: PlaybackClientOptions, surroundings: Surroundings = runtime) {
    const { url, environmentId, clientId, accessKey, headerPrefix = 'X-SERVICE' } = options;
    // Here and not by fetch, whose error would show the value.
    for (const [name, value] of Object.entries({ environmentId, clientId, accessKey, headerPrefix })) {
      if (!/^[!-~]+$/.test(value ?? '')) throw new TypeError(`${name} must be visible ASCII characters`);
    }
    const base = new URL(url).href.replace(/\/$/, '');
    this.#sessionsUrl = `${base}/api/v1/playback/environments/${encodeURIComponent(environmentId)}/sessions`;
    this.#headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      [`${headerPrefix}-Client-Id`]: clientId,
      [`${headerPrefix}-Client-Secret`]: accessKey,
    };
    this.#deadlineMilliseconds = options.deadlineMilliseconds ?? 15_000;
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
    this.#onRelease = options.onRelease;
    this.#surroundings = surroundings;
  }

  /**
   * Creates a session, for the player. All attempts have one `sessionId`, so a repeat takes no second slot. If it fails after an attempt
   * without a readable answer, the id is released in the background: a session that nobody has heard of must hold no slot.
   */
  async createSession(request: CreateSessionRequest, options: CallOptions = {}): Promise<PlaybackSession> {
    const { sessionId = this.#surroundings.randomUUID(), subject } = request;
    let mayHaveStarted = false;
    const onUnclear = () => {
      mayHaveStarted = true;
    };
    const create = { operation: 'createSession', isAnswer: isSession, body: { ...request, sessionId }, onUnclear };
    try {
      return await this.#call<PlaybackSession>('', create, options);
    } catch (error) {
      if (mayHaveStarted) this.#releaseInBackground({ sessionId, subject });
      throw error;
    }
  }

  /** Prolongs a session, if your backend does that for the player. The answer has a new token, for the player. */
  renewSession({ sessionId, subject }: SessionReference, options: CallOptions = {}): Promise<PlaybackSession> {
    const renew = { operation: 'renewSession', isAnswer: isSession, body: { subject } };
    return this.#call<PlaybackSession>(`/${encodeURIComponent(sessionId)}/renew`, renew, options);
  }

  /** Frees the slot of a session that has ended. Succeeds also if the session is unknown or of another subject. */
  releaseSession(session: SessionReference, options: CallOptions = {}): Promise<void> {
    return this.#release('ended', session, options);
  }

  /** Ends a session that may still play, such as that of another device. Succeeds like {@link releaseSession}. */
  terminateSession(session: SessionReference, options: CallOptions = {}): Promise<void> {
    return this.#release('terminated', session, options);
  }

  /** The active sessions of a viewer, oldest first; without a subject those of the environment. Fetches pages as it goes. */
  async *listSessions(of: { subject?: string } = {}, options: CallOptions = {}): AsyncGenerator<ActiveSession, void> {
    const isAnswer: IsAnswer = (body) => Array.isArray(member(body, 'items'));
    const query = new URLSearchParams({ limit: '200' });
    if (of.subject !== undefined) query.set('subject', of.subject);
    for (let cursor: string | null | undefined; cursor !== null; ) {
      if (cursor !== undefined) query.set('cursor', cursor);
      const list = { operation: 'listSessions', isAnswer };
      const page = await this.#call<{ items: ActiveSession[]; nextCursor: string | null }>(`?${query}`, list, options);
      yield* page.items;
      cursor = page.nextCursor ?? null;
    }
  }

  /** Says whether a create with the same request would succeed now, and which rule decides it. Reserves nothing. */
  evaluate(request: CreateSessionRequest, options: CallOptions = {}): Promise<Evaluation> {
    const isAnswer: IsAnswer = (body) => typeof member(body, 'allowed') === 'boolean';
    return this.#call<Evaluation>('/evaluations', { operation: 'evaluate', isAnswer, body: request }, options);
  }

  #releaseInBackground(session: SessionReference): void {
    const release = this.releaseSession(session, { deadlineMilliseconds: releaseMilliseconds });
    release.catch(() => {}); // told to `onRelease`, if anybody wants to know
    this.#onRelease?.(release);
  }

  async #release(
    reason: 'ended' | 'terminated',
    { sessionId, subject }: SessionReference,
    options: CallOptions,
  ): Promise<void> {
    const isAnswer: IsAnswer = (_, status) => status === 204;
    const operation = reason === 'ended' ? 'releaseSession' : 'terminateSession';
    const release = { operation, isAnswer, body: { subject, reason } };
    await this.#call(`/${encodeURIComponent(sessionId)}/release`, release, options);
  }

  /** Calls below `/sessions`; with a body it is a POST. The answer has the type if `isAnswer` accepts it. */
  async #call<Answer>(
    path: string,
    { body, ...call }: Pick<ServiceCall, 'operation' | 'isAnswer' | 'onUnclear'> & { body?: object },
    { signal, deadlineMilliseconds = this.#deadlineMilliseconds }: CallOptions,
  ): Promise<Answer> {
    const init: RequestInit = {
      method: body === undefined ? 'GET' : 'POST',
      headers: this.#headers,
      // A redirection would take the access key to another host.
      redirect: 'manual',
    };
    if (body !== undefined) init.body = JSON.stringify(body);
    const url = this.#sessionsUrl + path;
    const request = { ...call, url, init, fetch: this.#fetch, signal, deadlineMilliseconds };
    return (await callService(request, this.#surroundings)) as Answer;
  }
}
