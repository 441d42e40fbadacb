/** @import { Session } from './types' */

const retrySeconds = 5;

/** One playback session of this tab: renews it while it lasts, releases it at the end. */
export class PlaybackSession {
  renewals = 0;
  ended = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
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
      response = await fetch(renewal.url, { method: renewal.method, headers: { Authorization: this.authorization } });
      answer = await response.json();
    } catch {
      // No answer: the network may come back.
      this.#renewIn(retrySeconds);
      return;
    }
    if (this.ended) return;
    if (response.ok) {
      this.renewals += 1;
      this.#use(answer);
    } else if (answer.retryable) {
      this.#renewIn(Number(response.headers.get('Retry-After') ?? retrySeconds));
    } else {
      this.#end();
      this.onEnd(answer.code);
    }
  }

  /** Stop, end of the clip, or an error that ends playback: the slot is free at once. */
  async release() {
    if (this.ended) return;
    this.#end();
    const { url, method } = this.session.release;
    try {
      await fetch(url, { method, headers: { Authorization: this.authorization }, keepalive: true });
    } catch {
      // The slot is free at the session's end.
    }
  }

  /** @param {Session} session */
  #use(session) {
    this.session = session;
    // Spans come from the service's clock: this device's may be wrong.
    const lifetime = Date.parse(session.expiresAt) - Date.parse(session.serverTime);
    this.#endsAt = performance.now() + lifetime;
    if (session.renewal) this.#renewIn(session.renewal.intervalSeconds);
    else this.#expireIn(lifetime);
  }

  /** @param {number} seconds */
  #renewIn(seconds) {
    clearTimeout(this.#timer);
    if (!this.ended) this.#timer = setTimeout(() => this.renew(), seconds * 1000);
  }

  /** @param {number} milliseconds */
  #expireIn(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#end();
      this.onEnd('session_expired');
    }, milliseconds);
  }

  /** The page goes away, and no request that needs headers is sure to leave any more. */
  #sendBeacon() {
    if (this.ended) return;
    this.#end();
    navigator.sendBeacon(this.session.release.url, this.session.drm.drmLicenseToken);
  }

  #end() {
    this.ended = true;
    clearTimeout(this.#timer);
    removeEventListener('pagehide', this.leave);
  }
}
