import { runInNewContext } from 'node:vm';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import { type PlaybackEnd, SessionKeeper, type SessionKeeperOptions } from '@multi-drm/player';
import type { Session } from '../services/customer';
import { codeIn } from './guide';

/** A browser page that plays a session with the package of `docs/player.md`, without a video. */
export interface PlayerPage {
  player: GuidePlayer;
  /** The codes with which the page was told that playback has ended. */
  ends: string[];
  /** Closes the tab. */
  close(): void;
}

/** The player of one session. */
export interface GuidePlayer {
  readonly session: SessionKeeper['session'];
  renew(): Promise<void>;
  release(): Promise<unknown>;
}

type Listener = (event: { persisted?: boolean }) => void;

/** What a page has for a session keeper: a network, timers and events. */
class NodePage {
  readonly fetch = fetch;
  readonly setTimeout = setTimeout;
  readonly clearTimeout = (timer: unknown) => clearTimeout(timer as NodeJS.Timeout);
  readonly performance = performance;
  readonly document = { hidden: false };
  // Without a content type, fetch labels a string like browsers label a beacon's: text/plain;charset=UTF-8.
  readonly navigator = {
    sendBeacon: (url: string, body: string) => fetch(url, { method: 'POST', body }) !== undefined,
  };
  private readonly listeners = new Map<string, Set<Listener>>();

  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, (this.listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.listeners.get(type)?.delete(listener);
  }

  close(): void {
    for (const leave of this.listeners.get('pagehide') ?? []) leave({ persisted: false });
  }
}

const playerOf = (keeper: SessionKeeper): GuidePlayer => ({
  get session() {
    return keeper.session;
  },
  renew: () => keeper.renew(),
  release: () => keeper.stop(),
});

/** Opens a page with the session, which gets no other one. */
export function openPage(session: Session): PlayerPage {
  const page = new NodePage();
  const ends: string[] = [];
  const createSession = () => Promise.reject(new Error('This page gets no other session.'));
  const keeper = new SessionKeeper({ session, createSession, onEnd: ({ code }) => void ends.push(code) }, page);
  return { player: playerOf(keeper), ends, close: () => page.close() };
}

type PlayRequest = Pick<
  PlaybackSchemas['CreatePlaybackSessionRequest'],
  'contentId' | 'drmSystem' | 'replacesSessionId'
>;

/** A tab of a site, which plays one content after the other with the code of `docs/player.md`. */
export interface SiteTab {
  play(contentId: string): Promise<GuidePlayer>;
  /** The codes with which the tab was told that playback has ended. */
  ends: string[];
}

/** Opens a tab of a browser with Widevine. `answerPlay` is the site's route `/play`. */
export function openTab(answerPlay: (request: PlayRequest) => Promise<Session>): SiteTab {
  const ends: string[] = [];
  const code = codeIn('player', 'js', 'Play').replaceAll(/^import .*$/gm, '');
  type KeepSession = (
    contentId: string,
    onEnd: (end: PlaybackEnd) => void,
    previous?: SessionKeeper,
  ) => Promise<SessionKeeper>;
  const keepSession: KeepSession = runInNewContext(`${code}\nkeepSession`, {
    findDrmSystem: async () => 'widevine',
    SessionKeeper: class extends SessionKeeper {
      constructor(options: SessionKeeperOptions) {
        super(options, new NodePage());
      }
    },
    fetch: async (_url: '/play', request: RequestInit) =>
      Response.json(await answerPlay(JSON.parse(String(request.body)))),
  });
  let playing: SessionKeeper | undefined;
  return {
    ends,
    play: async (contentId) => {
      playing = await keepSession(contentId, ({ code: end }) => void ends.push(end), playing);
      return playerOf(playing);
    },
  };
}
