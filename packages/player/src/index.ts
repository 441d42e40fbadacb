export { type BrowserDrmSystem, type Eme, findDrmSystem, findRobustness, type Robustness } from './drm-support';
export type { EndCode } from './problem';
export type { CreateSession, ReplacementRequest } from './replacement';
export type { PlaybackSession, SessionRoute } from './session';
export { type PlaybackEnd, SessionKeeper, type SessionKeeperOptions } from './session-keeper';
export type { Video } from './video-hold';
