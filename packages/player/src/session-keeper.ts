import { releaseSession, renewSession, sendRelease } from './call';
import { type Page, thisPage } from './page';
import type { EndCode } from './problem';
import { type CreateSession, createReplacement } from './replacement';
import { isSession, lifetimeOf, type PlaybackSession } from './session';
import { type Video, VideoHold } from './video-hold';

/** Why playback has ended. */
export interface PlaybackEnd {
  code: EndCode;
  /** What the player or `createSession` failed with, if it did. */
  error?: unknown;
}

export interface SessionKeeperOptions {
  /** The response of your backend to the viewer's click on Play. */
  session: PlaybackSession;
  /**
   * Asks your backend for a session that replaces this one. Called once each time this one has expired or reached its maximum length, or
   * the page returned from the back/forward cache. A rejection, whose `code` is passed on, ends playback.
   */
  createSession: CreateSession;
  /** Called once, when playback must stop for another reason than `stop()`. The session is released. */
  onEnd: (end: PlaybackEnd) => void;
  /** Called with each renewed and each new session. */
  onSession?: (session: PlaybackSession) => void;
}

/** With its maximum length a session is replaced this long before its end, so that playback goes on. */
const replaceEarlyMilliseconds = 5_000;
/** Browsers run timers with a longer delay at once. */
const longestTimer = 2 ** 31 - 1;
/** `lapsed`: the session is over, and a new one is not there yet. `away`: the page is left, and may return from the cache. */
type State = 'active' | 'lapsed' | 'away' | 'ended';

/** The sessions that this page keeps. */
const kept = new Set<string>();

/**
 * Keeps a playback session: renews it while it lasts, waits while there is no network, replaces it when it is over, and releases it at the
 * end and when the page is left. The video is paused while there is no session.
 */
export class SessionKeeper {
  readonly #page: Page;
  readonly #options: SessionKeeperOptions;
  readonly #hold = new VideoHold();
  #session: PlaybackSession;
  #state: State = 'active';
  /** When the session ends unless it is renewed, by `performance.now()`. */
  #endsAt = 0;
  #nextTimer: unknown;
  #lapseTimer: unknown;
  #renewing: Promise<void> | undefined;
  #retries = false;
  #replacing: AbortController | undefined;
  /** The session is replaced once the viewer looks at the page again. */
  #waitsForViewer = false;
  /** Resolve the promises of `whenActive`. */
  #resolveActive: (() => void)[] = [];
  #reload: ((session: PlaybackSession) => unknown) | undefined;
  #end: () => void = () => undefined;
  #released: Promise<boolean> | undefined;

  /** Resolves when playback has ended, also by `stop()`. */
  readonly whenEnded: Promise<void> = new Promise((resolve) => {
    this.#end = resolve;
  });

  readonly #listeners = {
    pagehide: () => this.#leave(),
    pageshow: ({ persisted }: { persisted?: boolean }) => persisted && this.#return(),
    online: () => this.#retries && void this.renew(),
    visibilitychange: () => this.#waitsForViewer && this.#replace(),
  };

  /** Throws if the session is none of Contract v1, or if another keeper of this page has it. */
  constructor(options: SessionKeeperOptions, page: Page = thisPage) {
    const { session } = options;
    if (!isSession(session)) throw new TypeError('This is no session response of Contract v1.');
    if (kept.has(session.sessionId)) throw new TypeError('This session has a keeper already.');
    this.#page = page;
    this.#options = options;
    this.#session = session;
    this.#use(session, page.performance.now());
    for (const [type, listener] of Object.entries(this.#listeners)) page.addEventListener(type, listener);
  }

  /** The newest response, with the newest token. */
  get session(): PlaybackSession {
    return this.#session;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Whether playback waits for a session: after an outage that was longer than the session, or when the page has returned. */
  get waiting(): boolean {
    return this.#state === 'lapsed' || this.#state === 'away';
  }

  /** Seconds until the session ends unless it is renewed. */
  get secondsLeft(): number {
    return Math.max(0, Math.round((this.#endsAt - this.#page.performance.now()) / 1000));
  }

  /**
   * Pauses this video while there is no session, and when playback has ended. The adapters call it.
   * @param reload loads the video at the same position with licenses of a new session, because those of the last one end with it
   */
  attach(video: Video, reload?: (session: PlaybackSession) => unknown): void {
    if (this.ended) return;
    this.#hold.attach(video);
    this.#reload = reload;
  }

  /** Resolves to the session: at once, or when the new one is there. Use its token for a license request. */
  async whenActive(): Promise<PlaybackSession> {
    while (this.waiting) await new Promise<void>((resolve) => this.#resolveActive.push(resolve));
    return this.#session;
  }

  /** Resolves after this time, or when playback has ended: what an adapter waits for before it repeats a license request. */
  async pause(milliseconds: number): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => this.#page.setTimeout(resolve, milliseconds)), this.whenEnded]);
  }

  /** Renews the session now, such as when the page has learned that it may have ended. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * Releases the session: when the viewer stops or the content ends. Resolves after the first attempt, to whether it succeeded; otherwise
   * it is repeated until the session is over. Never rejects.
   */
  stop(): Promise<boolean> {
    this.#released ??= this.#close();
    return this.#released;
  }

  /** Ends playback because the player failed, and releases the session. The adapters do that. */
  fail(code: EndCode, error?: unknown): void {
    if (this.ended) return;
    void this.stop();
    this.#options.onEnd(error === undefined ? { code } : { code, error });
  }

  async #renewOnce(): Promise<void> {
    const session = this.#session;
    const { renewal } = session;
    if (renewal === undefined || !this.#mayRenew(session)) return;
    const since = this.#page.performance.now();
    const answer = await renewSession(this.#page, session, renewal);
    if (!this.#mayRenew(session)) return;
    if (answer.kind === 'renewed') {
      this.#use(answer.session, since);
      this.#hold.lift();
      this.#options.onSession?.(answer.session);
    } else if (answer.kind === 'retry') this.#retryIn(answer.afterSeconds * 1000);
    else if (isOver(answer.code)) this.#replace();
    else this.fail(answer.code);
  }

  #mayRenew(session: PlaybackSession): boolean {
    const idle = this.#replacing === undefined && !this.#waitsForViewer;
    return idle && session === this.#session && (this.#state === 'active' || this.#state === 'lapsed');
  }

  /** The last attempt within the session is at its end. */
  #retryIn(milliseconds: number): void {
    const left = this.#endsAt - this.#page.performance.now();
    this.#retries = true;
    this.#next(left > 0 ? Math.min(milliseconds, left) : milliseconds, () => void this.renew());
  }

  /**
   * Uses a session from now on.
   * @param since when it was asked for: it cannot end later than its lifetime after the answer
   */
  #use(session: PlaybackSession, since: number): void {
    const lifetime = lifetimeOf(session);
    kept.delete(this.#session.sessionId);
    kept.add(session.sessionId);
    this.#session = session;
    this.#state = 'active';
    this.#endsAt = since + lifetime;
    this.#retries = false;
    const left = this.#endsAt - this.#page.performance.now();
    this.#page.clearTimeout(this.#lapseTimer);
    this.#lapseTimer = this.#page.setTimeout(() => this.#lapse(), Math.min(left, longestTimer));
    if (session.renewal) this.#next(session.renewal.intervalSeconds * 1000, () => void this.renew());
    else this.#next(left - replaceEarlyMilliseconds, () => this.#replace());
    this.#resolveWaiting();
  }

  #next(milliseconds: number, run: () => void): void {
    this.#page.clearTimeout(this.#nextTimer);
    this.#nextTimer = this.#page.setTimeout(run, Math.min(Math.max(milliseconds, 0), longestTimer));
  }

  /** The session is over for all that this page knows. The next renewal asks the service, as soon as there is a network. */
  #lapse(): void {
    this.#state = 'lapsed';
    this.#hold.hold();
  }

  #replace(): void {
    if (this.ended || this.#replacing !== undefined) return;
    // Timers of hidden tabs may run too rarely to keep a session. A forgotten tab must not take slots again and again.
    this.#waitsForViewer = this.#page.document.hidden && !this.#hold.watched;
    if (this.#waitsForViewer) return;
    const attempt = new AbortController();
    this.#replacing = attempt;
    void this.#createWith(attempt);
  }

  async #createWith(attempt: AbortController): Promise<void> {
    const since = this.#page.performance.now();
    const { sessionId } = this.#session;
    let session: PlaybackSession;
    try {
      session = await createReplacement(this.#page, this.#options.createSession, sessionId, attempt);
      if (kept.has(session.sessionId)) throw new Error('createSession returned a session that is kept already.');
    } catch (error) {
      if (this.#replacing !== attempt) return;
      const code: unknown = Reflect.get(Object(error), 'code');
      return this.fail(typeof code === 'string' ? code : 'session_not_created', error);
    }
    if (this.#replacing !== attempt) return this.#discard(session);
    this.#replacing = undefined;
    this.#use(session, since);
    this.#options.onSession?.(session);
    await this.#reloadHeld(session);
  }

  async #reloadHeld(session: PlaybackSession): Promise<void> {
    if (this.#reload !== undefined) this.#hold.hold();
    await this.#reload?.(session);
    if (this.#state === 'active') this.#hold.lift();
  }

  #discard(session: PlaybackSession): void {
    void releaseSession(this.#page, session, this.#page.performance.now() + lifetimeOf(session));
  }

  /** The page is left. It may be kept in the back/forward cache, and go on from there. */
  #leave(): void {
    sendRelease(this.#page, this.#session);
    this.#halt();
    this.#state = 'away';
    this.#hold.hold();
  }

  #return(): void {
    if (this.#state !== 'away') return;
    this.#lapse();
    this.#replace();
  }

  #halt(): void {
    this.#page.clearTimeout(this.#nextTimer);
    this.#page.clearTimeout(this.#lapseTimer);
    this.#retries = false;
    this.#waitsForViewer = false;
    const attempt = this.#replacing;
    this.#replacing = undefined;
    attempt?.abort();
  }

  /** Ends playback and releases the session. Resolves after the first attempt. */
  #close(): Promise<boolean> {
    this.#halt();
    this.#state = 'ended';
    kept.delete(this.#session.sessionId);
    for (const [type, listener] of Object.entries(this.#listeners)) this.#page.removeEventListener(type, listener);
    this.#hold.holdUntilEmptied();
    this.#resolveWaiting();
    this.#end();
    // The last renewal was before now, whether or not its answer has arrived.
    return releaseSession(this.#page, this.#session, this.#page.performance.now() + lifetimeOf(this.#session));
  }

  #resolveWaiting(): void {
    const resolveAll = this.#resolveActive;
    this.#resolveActive = [];
    for (const resolve of resolveAll) resolve();
  }
}

/** Whether a problem says that the session is over, so that a new one may start. */
function isOver(code: string): boolean {
  return ['session_expired', 'session_not_found', 'token_expired', 'token_invalid'].includes(code);
}
