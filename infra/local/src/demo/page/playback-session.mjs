/** @import { Session } from './types' */

const retrySeconds = 5;
const patienceMilliseconds = 10_000;

/** One playback session of this tab: renews it while it lasts, releases it at the end. */
export class PlaybackSession {
  renewals = 0;
  ended = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #lifetime = 0;
  #endsAt = 0;

  /**
   * @param {Session} session the service's answer, as the backend handed it over
   * @param {(code: string) => void} onEnd is told when playback must stop, and why
   */
  constructor(session, onEnd) {
    this.session = session;
    this.onEnd = onEnd;
    this.leave = () => this.#sendBeacon();
    addEventListener('pagehide', this.leave);
    this.#use(session);
  }

  get authorization() {
    return `Bearer ${this.session.drm.drmLicenseToken}`;
  }

  /** Until the session ends unless it is renewed. */
  get secondsLeft() {
    return Math.max(0, Math.round((this.#endsAt - performance.now()) / 1000));
  }

  /** Asks for more time; learns that way, too, that the session has been ended elsewhere. */
  async renew() {
    const { renewal } = this.session;
    if (this.ended || renewal === undefined) return;
    let response;
    let answer;
    try {
      response = await this.#call(renewal);
      answer = await response.json();
    } catch {
      // No answer: the network may come back.
      this.#renewAgainIn(retrySeconds);
      return;
    }
    if (this.ended) return;
    if (response.ok) {
      this.renewals += 1;
      this.#use(answer);
    } else if (answer.retryable) {
      this.#renewAgainIn(Number(response.headers.get('Retry-After') ?? retrySeconds));
    } else {
      void this.release();
      this.onEnd(answer.code);
    }
  }

  /**
   * Stop, end of the clip, or an error that ends playback: the slot is free at once. Resolves after the first attempt
   * to whether the service knows.
   */
  async release() {
    if (this.ended) return true;
    this.#end();
    // The last renewal was before now, with or without an answer.
    return this.#sendRelease(performance.now() + this.#lifetime);
  }

  /**
   * Tries until the service has answered, or the session is over by itself.
   * @param {number} overAt
   */
  async #sendRelease(overAt) {
    let answered = false;
    try {
      const { status } = await this.#call(this.session.release);
      answered = status < 500 && status !== 429;
    } catch {
      // No answer: the network may come back.
    }
    if (answered || performance.now() > overAt) removeEventListener('pagehide', this.leave);
    else setTimeout(() => this.#sendRelease(overAt), retrySeconds * 1000);
    return answered;
  }

  /** @param {{ url: string, method: string }} route */
  #call({ url, method }) {
    const signal = AbortSignal.timeout(patienceMilliseconds);
    return fetch(url, { method, headers: { Authorization: this.authorization }, keepalive: true, signal });
  }

  /** @param {Session} session */
  #use(session) {
    this.session = session;
    // Spans come from the service's clock: this device's may be wrong.
    this.#lifetime = Date.parse(session.expiresAt) - Date.parse(session.serverTime);
    this.#endsAt = performance.now() + this.#lifetime;
    if (session.renewal) this.#renewIn(session.renewal.intervalSeconds);
    else this.#expireIn(this.#lifetime);
  }

  /** @param {number} seconds */
  #renewIn(seconds) {
    clearTimeout(this.#timer);
    if (!this.ended) this.#timer = setTimeout(() => this.renew(), seconds * 1000);
  }

  /**
   * Nobody has renewed: playback ends with the session.
   * @param {number} seconds
   */
  #renewAgainIn(seconds) {
    if (this.ended) return;
    if (this.secondsLeft === 0) this.#expireIn(0);
    else this.#renewIn(Math.min(seconds, this.secondsLeft));
  }

  /** @param {number} milliseconds */
  #expireIn(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.release();
      this.onEnd('session_expired');
    }, milliseconds);
  }

  /** The page goes away, and no request that needs headers is sure to leave any more. */
  #sendBeacon() {
    this.#end();
    navigator.sendBeacon(this.session.release.url, this.session.drm.drmLicenseToken);
  }

  #end() {
    this.ended = true;
    clearTimeout(this.#timer);
  }
}
