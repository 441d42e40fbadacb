/**
 * @import { StartedStream } from './types'
 * @import shakaNamespace from 'shaka-player/dist/shaka-player.dash-es2021'
 */
import { SessionKeeper } from '@multi-drm/player';
import { playWithShaka } from '@multi-drm/player/shaka';
import { ask } from './backend.mjs';

// Loaded before this module by a separate script element.
const shaka = /** @type {typeof shakaNamespace} */ (Reflect.get(window, 'shaka'));

/** Errors after which the player stays paused: autoplay is blocked after a reload, or the viewer paused quickly. */
const staysPaused = ['NotAllowedError', 'AbortError'];

/** The last player of the page releases the video before the next one takes it. */
let stopping = Promise.resolve();

/** A stream of this tab: its session, and the player. */
export class Stream {
  renewals = 0;
  #player = new shaka.Player();

  /**
   * @param {{ viewerId: string, title: string }} of the viewer that started it, and the content id of its title
   * @param {StartedStream} started
   * @param {object} on
   * @param {(code: string) => void} on.end called when playback must stop
   * @param {() => void} on.replaced called when it goes on in another session, with another number
   */
  constructor({ viewerId, title }, { number, session }, { end, replaced }) {
    this.viewerId = viewerId;
    this.title = title;
    this.number = number;
    /** The response of the start, with its policy. */
    this.session = session;
    let renewed = session.sessionId;
    this.keeper = new SessionKeeper({
      session,
      createSession: async () => {
        const { ok, answer } = await ask('POST', '/api/streams', { viewer: viewerId, title, replaces: this.number });
        if (!ok) throw answer;
        const started = /** @type {StartedStream} */ (answer);
        this.number = started.number;
        this.session = started.session;
        replaced();
        return started.session;
      },
      onSession: ({ sessionId }) => {
        this.renewals = sessionId === renewed ? this.renewals + 1 : 0;
        renewed = sessionId;
      },
      onEnd: ({ code }) => end(code),
    });
  }

  /**
   * Plays, or stays paused if the browser requires the viewer to press its own button.
   * @param {HTMLVideoElement} video
   */
  async play(video) {
    await stopping;
    await playWithShaka(this.#player, video, this.keeper);
    if (this.keeper.ended) return;
    try {
      await video.play();
    } catch (error) {
      if (!(error instanceof DOMException) || !staysPaused.includes(error.name)) throw error;
    }
  }

  /** Frees the slot at once; resolves to whether the service has answered. */
  async stop() {
    const released = this.keeper.stop();
    // A failure to destroy an old player does not matter.
    stopping = stopping.then(() => this.#player.destroy()).then(undefined, () => undefined);
    await stopping;
    return released;
  }
}
