import { findRobustness, type Robustness } from './drm-support';
import { secondsOf } from './problem';
import type { PlaybackSession } from './session';
import type { SessionKeeper } from './session-keeper';
import type { Video } from './video-hold';

/** Loads a session's manifest. A later call, for a new session, does so at the position in seconds, and resolves when that can play. */
export type Load = (session: PlaybackSession, position?: number) => unknown;

/**
 * Starts a player with the session of a keeper. Never rejects: a failure ends the session, and its code reaches `onEnd`. Does nothing if
 * the session ends while the player loads.
 * @param prepare configures the player; returns how it loads a session
 */
export async function startPlayback(
  video: Video,
  keeper: SessionKeeper,
  prepare: (session: PlaybackSession, robustness: Robustness) => Load | Promise<Load>,
): Promise<void> {
  keeper.attach(video);
  const robustness = await findRobustness(keeper.session);
  const session = await keeper.whenActive();
  if (keeper.ended) return;
  try {
    const load = await prepare(session, robustness);
    const reload = async (next: PlaybackSession) => {
      try {
        await Promise.race([load(next, video.currentTime), keeper.whenEnded]);
      } catch (error) {
        keeper.fail('player_error', error);
      }
    };
    keeper.attach(video, reload);
    if (!keeper.ended) await Promise.race([load(keeper.session), keeper.whenEnded]);
  } catch (error) {
    keeper.fail('player_error', error);
  }
}

/** Resolves when a video that loads something else can play it. */
export function loaded(video: Video): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      video.removeEventListener('loadeddata', done);
      resolve();
    };
    video.addEventListener('loadeddata', done);
  });
}

/** Returns an object with the same value for each key system of a session. */
export function forKeySystems<Value>(
  { drm }: PlaybackSession,
  valueFor: (keySystem: string, index: number) => Value,
): Record<string, Value> {
  return Object.fromEntries(drm.keySystems.map((keySystem, index) => [keySystem, valueFor(keySystem, index)]));
}

/**
 * The header with the newest token of a session. Waits for the new session if there is none at the moment. Rejects when playback has ended,
 * so that players, which ask for a license again and again, send no more requests.
 */
export async function licenseAuthorization(keeper: SessionKeeper): Promise<string> {
  const { drm } = await keeper.whenActive();
  if (keeper.ended) throw new Error('Playback has ended.');
  return `Bearer ${drm.drmLicenseToken}`;
}

const licenseRetrySeconds = 1;

/** Waits before a license request is repeated: as long as the refusal's `Retry-After` asks for, or a second. */
export function pauseBeforeLicense(keeper: SessionKeeper, retryAfter: string | null): Promise<void> {
  return keeper.pause(1000 * (secondsOf(retryAfter) ?? licenseRetrySeconds));
}

/** What an adapter ends playback with when it learns itself that a license was refused. */
export const refusedLicense = (status: number): Error => new Error(`The license was refused with ${status}.`);
