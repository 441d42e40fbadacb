import { problemIn } from './problem';
import type { SessionKeeper } from './session-keeper';
import {
  forKeySystems,
  licenseAuthorization,
  loaded,
  pauseBeforeLicense,
  refusedLicense,
  startPlayback,
} from './start-playback';
import type { Video } from './video-hold';

interface LicenseCall {
  readonly readyState: number;
  readonly status: number;
  /** Bytes, once it is done. */
  readonly response: unknown;
  getResponseHeader(name: string): string | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
}

/** What is used of `Hls`. */
export interface HlsJsPlayer {
  config: object;
  attachMedia(video: never): void;
  detachMedia(): void;
  loadSource(url: string): void;
  startLoad(): void;
  on(type: never, listener: never): void;
  off(type: never, listener: never): void;
}

interface HlsError {
  type: string;
  details: string;
  fatal: boolean;
  response?: { code?: number };
  networkDetails?: { response?: unknown };
}

const retryMilliseconds = 5_000;
/** `XMLHttpRequest.DONE` */
const done = 4;
const events = { error: 'hlsError' as never, destroying: 'hlsDestroying' as never };
/** A segment, or a playlist after the first. */
const canBeLoadedLater = /^(?:frag|level|audioTrack)Load(?:Error|TimeOut)$/;

/**
 * Plays a session with hls.js 1.5 or newer: attaches the player to the video, and uses hls.js in Safari, too, to get FairPlay licenses.
 * Resolves when it loads, or when playback has ended and `onEnd` was called. Destroying the player releases the session.
 */
export function playWithHlsJs(player: HlsJsPlayer, video: Video, keeper: SessionKeeper): Promise<void> {
  return startPlayback(video, keeper, (session, robustness) => {
    const { licenseServerUrl, fairPlayCertificateUrl } = session.drm;
    const system = { licenseUrl: licenseServerUrl, serverCertificateUrl: fairPlayCertificateUrl };
    let lastLicense: LicenseCall | undefined;
    Object.assign(player.config, {
      emeEnabled: true,
      drmSystems: forKeySystems(session, () => system),
      drmSystemOptions: robustness,
      licenseXhrSetup: async (request: LicenseCall, url: string) => {
        const previous = lastLicense;
        lastLicense = request;
        // hls.js repeats a failed request up to eight times, at once, also one that is refused for good.
        if (hasFailed(previous)) {
          const problem = problemIn(previous.response);
          if (problem?.retryable === false) keeper.fail(problem.code, refusedLicense(previous.status));
          await pauseBeforeLicense(keeper, previous.getResponseHeader('Retry-After'));
        }
        const authorization = await licenseAuthorization(keeper);
        request.open('POST', url);
        request.setRequestHeader('Authorization', authorization);
      },
    });

    let retry: ReturnType<typeof setTimeout> | undefined;
    const onError = (_type: string, error: HlsError) => {
      if (!error.fatal) return;
      const gotNoAnswer = error.type === 'networkError' && !error.response?.code;
      if (gotNoAnswer && canBeLoadedLater.test(error.details)) {
        clearTimeout(retry);
        retry = setTimeout(() => player.startLoad(), retryMilliseconds);
        return;
      }
      const isLicenseError = error.details === 'keySystemLicenseRequestFailed';
      const problem = isLicenseError ? problemIn(error.networkDetails?.response) : undefined;
      const lost = gotNoAnswer || (isLicenseError && !error.response?.code);
      keeper.fail(problem?.code ?? (lost ? 'network_lost' : 'player_error'), error);
    };
    const onDestroying = () => void keeper.stop();
    player.on(events.error, onError as never);
    player.on(events.destroying, onDestroying as never);
    void keeper.whenEnded.then(() => {
      clearTimeout(retry);
      player.off(events.error, onError as never);
      player.off(events.destroying, onDestroying as never);
    });
    return ({ manifestUrl }, position) => {
      const isLoaded = loaded(video);
      if (position !== undefined) {
        // Removes the keys of the last session.
        player.detachMedia();
        Object.assign(player.config, { startPosition: position });
      }
      player.attachMedia(video as never);
      player.loadSource(manifestUrl);
      return isLoaded;
    };
  });
}

function hasFailed(request: LicenseCall | undefined): request is LicenseCall {
  return request?.readyState === done && request.status !== 200;
}
