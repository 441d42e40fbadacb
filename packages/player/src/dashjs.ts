import { type EndCode, problemIn } from './problem';
import type { SessionKeeper } from './session-keeper';
import { forKeySystems, licenseAuthorization, loaded, startPlayback } from './start-playback';
import type { Video } from './video-hold';

interface LicenseRequest {
  headers: Record<string, string>;
}

/** What is used of dash.js's `MediaPlayer`. */
export interface DashJsPlayer {
  initialize(video?: never, source?: string, autoPlay?: boolean): void;
  updateSettings(settings: object): void;
  setProtectionData(data: never): void;
  registerLicenseRequestFilter(filter: never): void;
  unregisterLicenseRequestFilter(filter: never): void;
  attachSource(url: string, startTime?: number): void;
  on(type: never, listener: never): void;
  off(type: never, listener: never): void;
}

interface DashJsError {
  code: number;
  /** Of a license request: the answer, if there was one. */
  data?: { serverResponse?: unknown } | null;
}

/** Ten minutes: dash.js gives a segment up for good after its last attempt. */
const attempts = { number: 600, intervalMilliseconds: 1000 };
const events = { error: 'error' as never, tornDown: 'streamTeardownComplete' as never };
const licenseRequestFailed = 114;

/**
 * Plays a session with dash.js 5: initializes the player, which must be new. Resolves when it loads, or when playback has ended and `onEnd`
 * was called. Destroying the player releases the session.
 */
export function playWithDashJs(player: DashJsPlayer, video: Video, keeper: SessionKeeper): Promise<void> {
  return startPlayback(video, keeper, (session, robustness) => {
    // No cookies: a browser would reject the answer. `false` also if the page sets `withCredentials` for its media.
    const protection = { serverURL: session.drm.licenseServerUrl, withCredentials: false, ...robustness };
    const authorize = async (request: LicenseRequest) => {
      request.headers = { ...request.headers, Authorization: await licenseAuthorization(keeper) };
    };
    const onError = ({ error }: { error: DashJsError }) => keeper.fail(codeOf(error), error);
    let loading = false;
    const onTearDown = () => loading || void keeper.stop();

    player.initialize(video as never, undefined, false);
    player.updateSettings({
      streaming: {
        retryAttempts: { MediaSegment: attempts.number, InitializationSegment: attempts.number },
        retryIntervals: {
          MediaSegment: attempts.intervalMilliseconds,
          InitializationSegment: attempts.intervalMilliseconds,
        },
      },
    });
    player.setProtectionData(forKeySystems(session, (_, priority) => ({ ...protection, priority })) as never);
    player.registerLicenseRequestFilter(authorize as never);
    player.on(events.error, onError as never);
    player.on(events.tornDown, onTearDown as never);
    void keeper.whenEnded.then(() => {
      player.unregisterLicenseRequestFilter(authorize as never);
      player.off(events.error, onError as never);
      player.off(events.tornDown, onTearDown as never);
    });
    return ({ manifestUrl }, position) => {
      const done = loaded(video);
      loading = true;
      player.attachSource(manifestUrl, position);
      loading = false;
      return done;
    };
  });
}

function codeOf({ code, data }: DashJsError): EndCode {
  if (code !== licenseRequestFailed) return 'player_error';
  return problemIn(data?.serverResponse)?.code ?? 'network_lost';
}
