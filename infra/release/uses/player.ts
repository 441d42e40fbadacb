// What a customer would write. Compiled in the workspace and against the tarball; never run.
import { type CreateSession, findDrmSystem, type PlaybackSession, SessionKeeper, type Video } from '@multi-drm/player';
import { playWithDashJs } from '@multi-drm/player/dashjs';
import { playWithHlsJs } from '@multi-drm/player/hlsjs';
import { playWithShaka, type ShakaPlayer } from '@multi-drm/player/shaka';
import { playWithVideoJs } from '@multi-drm/player/videojs';

export async function start(session: PlaybackSession, player: ShakaPlayer, video: Video): Promise<string> {
  const createSession: CreateSession = async ({ replacesSessionId, signal }) => {
    const body = JSON.stringify({ replacesSessionId, drmSystem: await findDrmSystem() });
    const response = await fetch('/play', { method: 'POST', body, signal });
    return (await response.json()) as PlaybackSession;
  };
  let ended = '';
  const keeper = new SessionKeeper({ session, createSession, onEnd: ({ code }) => (ended = code) });
  await playWithShaka(player, video, keeper);
  await keeper.stop();
  return ended;
}

export const others = [playWithDashJs, playWithHlsJs, playWithVideoJs];

/** What the compiler must refuse. */
export function refused(session: PlaybackSession): void {
  // @ts-expect-error without createSession
  new SessionKeeper({ session, onEnd: () => {} });
}
