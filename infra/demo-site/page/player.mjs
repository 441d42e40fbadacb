/**
 * @import { PlaybackSession } from './playback-session.mjs'
 * @import shakaNamespace from 'shaka-player/dist/shaka-player.dash-es2021'
 */

// Loaded before this module by a separate script element.
const shaka = /** @type {typeof shakaNamespace} */ (Reflect.get(window, 'shaka'));

/** Errors after which the player stays paused: autoplay is blocked after a reload, or the viewer paused quickly. */
const staysPaused = ['NotAllowedError', 'AbortError'];

/** Shaka Player for one session: its manifest, its license URL, its license token. */
export class Player {
  /** @type {shakaNamespace.Player | undefined} */
  #shaka;
  #stopping = Promise.resolve();

  /** @param {HTMLVideoElement} video */
  constructor(video) {
    this.video = video;
  }

  /**
   * Plays, or stays paused if the browser requires the viewer to press its own button. Throws if the clip cannot be loaded.
   * @param {PlaybackSession} playback
   * @param {(error: unknown) => void} onError called for an error after the start
   */
  async play(playback, onError) {
    await this.stop();
    if (playback.ended) return;
    const { drm, manifestUrl } = playback.session;
    const player = new shaka.Player();
    this.#shaka = player;
    await player.attach(this.video);
    player.configure({
      drm: { servers: Object.fromEntries(drm.keySystems.map((keySystem) => [keySystem, drm.licenseServerUrl])) },
    });
    player.getNetworkingEngine()?.registerRequestFilter((type, request) => {
      // Uses the newest token: each renewal returns one.
      if (type === shaka.net.NetworkingEngine.RequestType.LICENSE) {
        request.headers.Authorization = playback.authorization;
      }
    });
    player.addEventListener('error', (event) => onError(Reflect.get(event, 'detail')));
    await player.load(manifestUrl);
    try {
      await this.video.play();
    } catch (error) {
      if (!(error instanceof DOMException) || !staysPaused.includes(error.name)) throw error;
    }
  }

  /** Stops the player; the next clip waits for that. */
  stop() {
    const player = this.#shaka;
    this.#shaka = undefined;
    const stopping = this.#stopping.then(() => player?.destroy());
    // A failure to destroy an old player does not matter.
    this.#stopping = stopping.then(undefined, () => undefined);
    return this.#stopping;
  }
}

/**
 * Returns why playback failed: the problem code of the license route, or else Shaka's error number.
 * @param {unknown} error
 * @returns {string}
 */
export function codeOf(error) {
  if (!(error instanceof shaka.util.Error)) return String(error);
  const [cause] = error.data;
  if (cause instanceof shaka.util.Error && cause.code === shaka.util.Error.Code.BAD_HTTP_STATUS) {
    try {
      return JSON.parse(String(cause.data[2])).code;
    } catch {
      // Not a response of the service.
    }
  }
  if (error.category === shaka.util.Error.Category.NETWORK) return 'network_lost';
  return `player error ${error.code}`;
}
