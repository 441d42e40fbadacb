/**
 * @import { PlaybackSession } from './playback-session.mjs'
 * @import shakaNamespace from 'shaka-player/dist/shaka-player.dash-es2021'
 */

// Loaded before this module, by a script element of its own.
const shaka = /** @type {typeof shakaNamespace} */ (Reflect.get(window, 'shaka'));

/** Shaka Player for one session: its manifest, its license URL, its license token. */
export class Player {
  /** @type {shakaNamespace.Player | undefined} */
  #shaka;

  /** @param {HTMLVideoElement} video */
  constructor(video) {
    this.video = video;
  }

  /**
   * Plays; throws where the clip cannot be loaded.
   * @param {PlaybackSession} playback
   * @param {(error: unknown) => void} onError is told of an error after the start
   */
  async play(playback, onError) {
    await this.stop();
    const { drm, manifestUrl } = playback.session;
    const player = new shaka.Player();
    this.#shaka = player;
    await player.attach(this.video);
    player.configure({
      drm: { servers: Object.fromEntries(drm.keySystems.map((keySystem) => [keySystem, drm.licenseServerUrl])) },
    });
    player.getNetworkingEngine()?.registerRequestFilter((type, request) => {
      // The newest token: each renewal brings one.
      if (type === shaka.net.NetworkingEngine.RequestType.LICENSE) {
        request.headers.Authorization = playback.authorization;
      }
    });
    player.addEventListener('error', (event) => onError(Reflect.get(event, 'detail')));
    await player.load(manifestUrl);
    await this.video.play();
  }

  async stop() {
    const player = this.#shaka;
    this.#shaka = undefined;
    await player?.destroy();
  }
}

/**
 * Why playback failed: the license route's problem code where it refused, else Shaka's number.
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
      // Not an answer of the service.
    }
  }
  return `player error ${error.code}`;
}
