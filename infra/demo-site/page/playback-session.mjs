/** @import { Session } from './types' */

const retrySeconds = 5;
const patienceMilliseconds = 10_000;

/** A playback session of this tab: renews it while it lasts and releases it at the end. */
export class PlaybackSession {
  renewals = 0;
  ended = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #lifetime = 0;
  #endsAt = 0;

  /**
   * @param {Session} session the service's response, passed on by the backend
   * @param {(code: string) => void} onEnd called with the reason when playback must stop
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

  /** Seconds until the session ends unless it is renewed. */
  get secondsLeft() {
    return Math.max(0, Math.round((this.#endsAt - performance.now()) / 1000));
  }

  /** Renews the session; this also detects that it was ended elsewhere. */
  async renew() {
    const { renewal } = this.session;
    if (this.ended || renewal === undefined) return;
    let response;
    let answer;
    try {
      response = await this.#call(renewal);
      answer = await response.json();
    } catch {
      // No response: the network may come back.
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
   * Frees the slot at once, on Stop, at the end of the clip, or after an error that ends playback. Resolves after the first attempt to
   * whether the release succeeded.
   */
  async release() {
    if (this.ended) return true;
    this.#end();
    // The last renewal was before now, whether or not its response arrived.
    return this.#sendRelease(performance.now() + this.#lifetime);
  }

  /**
   * Retries until the service responds or the session has expired.
   * @param {number} overAt
   */
  async #sendRelease(overAt) {
    let answered = false;
    try {
      const { status } = await this.#call(this.session.release);
      answered = status < 500 && status !== 429;
    } catch {
      // No response: the network may come back.
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
    // Durations come from the service's clock, because this device's may be wrong.
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
   * Retries a failed renewal; if it never succeeds, playback ends with the session.
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

  /** Releases when the page is hidden: requests that need headers may no longer be sent then. */
  #sendBeacon() {
    this.#end();
    navigator.sendBeacon(this.session.release.url, this.session.drm.drmLicenseToken);
  }

  #end() {
    this.ended = true;
    clearTimeout(this.#timer);
  }
}
