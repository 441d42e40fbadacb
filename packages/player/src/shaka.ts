import { type EndCode, problemIn } from './problem';
import type { SessionKeeper } from './session-keeper';
import { forKeySystems, type Load, licenseAuthorization, startPlayback } from './start-playback';
import type { Video } from './video-hold';

interface LicenseRequest {
  headers: Record<string, string>;
}
type RequestFilter = (type: number, request: LicenseRequest) => Promise<void> | undefined;

/** What is used of `shaka.Player`. */
export interface ShakaPlayer {
  attach(video: never): Promise<unknown>;
  configure(configuration: object): unknown;
  getNetworkingEngine(): {
    registerRequestFilter(filter: never): void;
    unregisterRequestFilter(filter: never): void;
  } | null;
  load(uri: string, startTime?: number): Promise<unknown>;
  retryStreaming(delaySeconds?: number): boolean;
  addEventListener(type: string, listener: (event: Event) => void): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
}

interface ShakaError {
  code: number;
  data: unknown[];
}

const licenseRequestType = 2;
const retrySeconds = 5;
const errorCodes = { badHttpStatus: 1001, httpError: 1002, timeout: 1003, licenseRequestFailed: 6007 };
/** The player was destroyed or loads something else. */
const interrupted = [7000, 7001, 7003];

/**
 * Plays a session with Shaka Player 5. Resolves when playback can start, or when it has ended and `onEnd` was called. Unloading the player
 * releases the session.
 */
export function playWithShaka(player: ShakaPlayer, video: Video, keeper: SessionKeeper): Promise<void> {
  return startPlayback(video, keeper, async (session, { audioRobustness, videoRobustness }) => {
    const { licenseServerUrl, fairPlayCertificateUrl } = session.drm;
    const advanced = {
      audioRobustness: [audioRobustness],
      videoRobustness: [videoRobustness],
      ...(fairPlayCertificateUrl === undefined ? {} : { serverCertificateUri: fairPlayCertificateUrl }),
    };
    await player.attach(video as never);
    player.configure({
      drm: {
        servers: forKeySystems(session, () => licenseServerUrl),
        advanced: forKeySystems(session, () => advanced),
      },
      streaming: {
        failureCallback: (error: ShakaError) => gotNoAnswer(error) && player.retryStreaming(retrySeconds),
      },
    });

    const authorize: RequestFilter = (type, request) => {
      if (type !== licenseRequestType) return undefined;
      return licenseAuthorization(keeper).then((authorization) => {
        request.headers.Authorization = authorization;
      });
    };
    const fail = (error: ShakaError) => {
      if (interrupted.includes(error.code)) void keeper.stop();
      else keeper.fail(codeOf(error), error);
    };
    const onError = (event: Event) => {
      const error: ShakaError = Reflect.get(event, 'detail');
      if (!gotNoAnswer(error)) fail(error);
    };
    /** The load that is under way. */
    let loading: object | undefined;
    const load: Load = async ({ manifestUrl }, position) => {
      const own = {};
      loading = own;
      // If another load has interrupted this one, that one counts.
      await player.load(manifestUrl, position).catch((error) => loading === own && fail(error));
      if (loading === own) loading = undefined;
    };
    const onUnloading = () => loading === undefined && void keeper.stop();
    const engine = player.getNetworkingEngine();
    engine?.registerRequestFilter(authorize as never);
    player.addEventListener('error', onError);
    player.addEventListener('unloading', onUnloading);
    void keeper.whenEnded.then(() => {
      engine?.unregisterRequestFilter(authorize as never);
      player.removeEventListener('error', onError);
      player.removeEventListener('unloading', onUnloading);
    });
    return load;
  });
}

/** Whether a segment could not be loaded because of the network: it is asked for again. */
function gotNoAnswer({ code }: ShakaError): boolean {
  return code === errorCodes.httpError || code === errorCodes.timeout;
}

function codeOf(error: ShakaError): EndCode {
  if (gotNoAnswer(error)) return 'network_lost';
  if (error.code !== errorCodes.licenseRequestFailed) return 'player_error';
  const cause = error.data[0] as ShakaError;
  if (gotNoAnswer(cause)) return 'network_lost';
  // With an error status: URL, status, body.
  const problem = cause.code === errorCodes.badHttpStatus ? problemIn(cause.data[2]) : undefined;
  return problem?.code ?? 'player_error';
}
