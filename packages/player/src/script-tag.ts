// Everything in one script, for pages without modules. It sets the global `MultiDrm`.
export { playWithDashJs } from './dashjs';
export { playWithHlsJs } from './hlsjs';
export * from './index';
export { playWithShaka } from './shaka';
export { playWithVideoJs } from './videojs';
