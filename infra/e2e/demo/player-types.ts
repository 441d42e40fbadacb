import type { PlaybackSession, SessionKeeper } from '@multi-drm/player';
import { playWithDashJs } from '@multi-drm/player/dashjs';
import { playWithHlsJs } from '@multi-drm/player/hlsjs';
import { playWithShaka } from '@multi-drm/player/shaka';
import { playWithVideoJs } from '@multi-drm/player/videojs';
import type { Session } from '@multi-drm/test-kit/services/customer';
import type { MediaPlayerClass } from 'dashjs';
import type Hls from 'hls.js';
import type shaka from 'shaka-player/dist/shaka-player.compiled-es2021';
import type videojs from 'video.js';

// Checked by the compiler only: the package takes the players, the video element and the service's response as they are.

interface Players {
  shakaPlayer: shaka.Player;
  dashJs: MediaPlayerClass;
  hlsJs: Hls;
  videoJs: ReturnType<typeof videojs>;
}

export const sessionOf = (response: Session): PlaybackSession => response;

export const playWithEach = (players: Players, video: HTMLVideoElement, keeper: SessionKeeper): Promise<void>[] => [
  playWithShaka(players.shakaPlayer, video, keeper),
  playWithDashJs(players.dashJs, video, keeper),
  playWithHlsJs(players.hlsJs, video, keeper),
  playWithVideoJs(players.videoJs, video, keeper),
];
