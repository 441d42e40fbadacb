import { problemIn } from './problem';
import type { SessionKeeper } from './session-keeper';
import {
  forKeySystems,
  licenseAuthorization,
  pauseBeforeLicense,
  refusedLicense,
  startPlayback,
} from './start-playback';
import type { Video } from './video-hold';

/** What is used of a player of video.js with the plugin videojs-contrib-eme. */
export interface VideoJsPlayer {
  src(source: object): unknown;
  error(): unknown;
  on(type: string, listener: () => void): void;
  off(type: string, listener: () => void): void;
}

type LicenseCallback = (error: unknown, license?: ArrayBuffer) => void;

const contentTypes: Record<string, string> = {
  dash: 'application/dash+xml',
  hls: 'application/vnd.apple.mpegurl',
};

/**
 * video.js does not know ClearKey in HLS: it would take the key for one of AES-128 and load the same segments again and again.
 */
const customTagMappers = [
  { expression: /^#EXT-X-KEY:.*KEYFORMAT="org\.w3\.clearkey"/, map: () => '#EXT-X-KEY:METHOD=NONE' },
];

/**
 * Plays a session with video.js 8 and videojs-contrib-eme 5. Resolves when it loads, or when playback has ended and `onEnd` was called.
 * Disposing of the player releases the session.
 */
export function playWithVideoJs(player: VideoJsPlayer, video: Video, keeper: SessionKeeper): Promise<void> {
  return startPlayback(video, keeper, (session, robustness) => {
    const { manifestUrl, manifestUrls, drm } = session;

    const getLicense = async (_options: unknown, challenge: ArrayBuffer, callback: LicenseCallback) => {
      try {
        callback(null, await fetchLicense(keeper, challenge));
      } catch (error) {
        keeper.fail('network_lost', error);
        callback(error);
      }
    };
    const fairPlay = {
      certificateUri: drm.fairPlayCertificateUrl,
      getLicense: (options: unknown, _contentId: unknown, challenge: ArrayBuffer, callback: LicenseCallback) =>
        getLicense(options, challenge, callback),
    };

    const onError = () => keeper.fail('player_error', player.error());
    const onDispose = () => void keeper.stop();
    player.on('error', onError);
    player.on('dispose', onDispose);
    void keeper.whenEnded.then(() => {
      player.off('error', onError);
      player.off('dispose', onDispose);
    });
    Reflect.get(player, 'eme')?.call(player);
    return (_session, position) => {
      // videojs-contrib-eme requests a new license by itself when the last one has ended.
      if (position !== undefined) return;
      player.src({
        src: manifestUrl,
        type: contentTypes[manifestUrls.find(({ url }) => url === manifestUrl)?.type ?? ''],
        customTagMappers,
        keySystems: forKeySystems(session, (keySystem) =>
          keySystem.startsWith('com.apple.fps') ? fairPlay : { getLicense, ...robustness },
        ),
      });
    };
  });
}

/** As many as Shaka Player and dash.js make at most. */
const attempts = 3;

/**
 * Fetches a license, again if the refusal may pass. If it is refused for good, ends the keeper's playback with the code of the problem, and
 * rejects.
 */
async function fetchLicense(keeper: SessionKeeper, challenge: ArrayBuffer): Promise<ArrayBuffer> {
  for (let attempt = 1; ; attempt += 1) {
    const headers = { Authorization: await licenseAuthorization(keeper) };
    const response = await fetch(keeper.session.drm.licenseServerUrl, { method: 'POST', headers, body: challenge });
    const body = await response.arrayBuffer();
    if (response.ok) return body;
    const problem = problemIn(body);
    if (!problem?.retryable || attempt === attempts) {
      const error = refusedLicense(response.status);
      keeper.fail(problem?.code ?? 'player_error', error);
      throw error;
    }
    await pauseBeforeLicense(keeper, response.headers.get('Retry-After'));
  }
}
