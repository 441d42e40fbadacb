import type { Mutant } from '../mutant';

const source = 'packages/player/src';
const keeperSuite = 'player/src/session-keeper.test';
const replacementSuite = 'player/src/replacement.test';

/** Protections of the package for players. */
export const playerMutants: Mutant[] = [
  {
    name: 'paused-without-session',
    protection: 'A video is paused once its session is over.',
    file: `${source}/session-keeper.ts`,
    find: "    this.#state = 'lapsed';\n    this.#hold.hold();",
    replace: "    this.#state = 'lapsed';",
    suite: keeperSuite,
  },
  {
    name: 'play-without-session',
    protection: 'Pressing Play does not play a video without a session.',
    file: `${source}/video-hold.ts`,
    find: "    this.#video?.addEventListener('play', this.#pause);",
    replace: '',
    suite: keeperSuite,
  },
  {
    name: 'away-without-session',
    protection: 'A page that returns from the cache plays only in a new session.',
    file: `${source}/session-keeper.ts`,
    find: "    this.#state = 'away';\n    this.#hold.hold();",
    replace: "    this.#state = 'away';",
    suite: replacementSuite,
  },
  {
    name: 'late-session-released',
    protection: 'A session that a page gets too late is released.',
    file: `${source}/replacement.ts`,
    find: 'else if (signal.aborted) void releaseSession(page, session, page.performance.now() + lifetimeOf(session));',
    replace: '',
    suite: replacementSuite,
  },
  {
    name: 'create-once',
    protection: 'A session that is over is replaced once, also if createSession returns the old one.',
    file: `${source}/session-keeper.ts`,
    find: 'if (kept.has(session.sessionId)) throw new Error',
    replace: 'if (!session) throw new Error',
    suite: replacementSuite,
  },
  {
    name: 'one-keeper',
    protection: 'A session has one keeper in a page.',
    file: `${source}/session-keeper.ts`,
    find: 'if (kept.has(session.sessionId)) throw new TypeError',
    replace: 'if (!session) throw new TypeError',
    suite: keeperSuite,
  },
  {
    name: 'forgotten-tab',
    protection: 'A hidden tab that does not play takes no slot again and again.',
    file: `${source}/session-keeper.ts`,
    find: 'this.#waitsForViewer = this.#page.document.hidden && !this.#hold.watched;',
    replace: '',
    suite: replacementSuite,
  },
  {
    name: 'bounded-retry-after',
    protection: 'A player waits a minute at most before it renews again.',
    file: `${source}/problem.ts`,
    find: 'Math.min(seconds, longestRetrySeconds)',
    replace: 'seconds',
    suite: keeperSuite,
  },
  {
    name: 'pause-before-license',
    protection: 'hls.js waits before it repeats a failed license request.',
    file: `${source}/hlsjs.ts`,
    find: 'await pauseBeforeLicense(',
    replace: 'void pauseBeforeLicense(',
    suite: 'license-repeats.test',
  },
  {
    name: 'license-refused-for-good',
    protection: 'hls.js does not ask again for a license that is refused for good.',
    file: `${source}/hlsjs.ts`,
    find: 'if (problem?.retryable === false) keeper.fail',
    replace: 'if (problem?.retryable === null) keeper.fail',
    suite: 'license-repeats.test',
  },
  {
    name: 'no-license-after-the-end',
    protection: 'No license is asked for after the end of playback.',
    file: `${source}/start-playback.ts`,
    find: 'if (keeper.ended) throw',
    replace: 'if (keeper.session === null) throw',
    suite: 'license-repeats.test',
  },
];
