import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import { repositoryFolder } from '@multi-drm/local/repository';
import type { Session } from '../services/customer';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];
type Refusal = PlaybackSchemas['StreamLimitProblemDetails'];

/** The backend of `docs/backend.md`, whose code is unchanged. */
export interface GuideBackend {
  createSession(request: Omit<CreateRequest, 'sessionId' | 'useEnvironmentDefaults'>): Promise<Session>;
  refusalForBrowser(problem: Refusal): object;
  renewSession(subject: string, sessionId: string): Promise<Session>;
  releaseSession(subject: string, sessionId: string): Promise<void>;
  terminateSession(subject: string, sessionId: string): Promise<void>;
  listSessions(subject?: string): Promise<PlaybackSchemas['LivePlaybackSession'][]>;
  evaluate(request: CreateRequest): Promise<PlaybackSchemas['PlaybackEvaluationResponse']>;
}

/** The player of one session of `docs/player.md`. */
export interface GuidePlayer {
  readonly session: Session;
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** A browser page with that player. */
export interface PlayerPage {
  player: GuidePlayer;
  /** The codes with which the player was told to stop. */
  ends: string[];
  /** Closes the tab. */
  close(): void;
}

/** The environment variables that the backend of `docs/backend.md` reads. */
export interface BackendSettings {
  PLAYBACK_URL: string;
  SITE_ID: string;
  CLIENT_ID: string;
  ACCESS_KEY: string;
}

type Language = 'js' | 'json' | 'sh';

/** Pages in `docs/` whose code the tests run. */
type Page =
  | 'backend'
  | 'catalog'
  | 'contract-v1'
  | 'getting-started'
  | 'license-backends'
  | 'operator'
  | 'player'
  | 'support'
  | 'usage';

/** Returns the code blocks of a language from a page, in their order: from the section with the heading, or from all of them. */
export function codeIn(page: Page, language: Language, heading?: string): string {
  const sections = readFileSync(join(repositoryFolder, 'docs', `${page}.md`), 'utf8').split(/^## /m);
  const chosen = sections.filter((section) => heading === undefined || section.startsWith(`${heading}\n`));
  const blocks = chosen.flatMap((section) => [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)]);
  return blocks.flatMap(([, found, code]) => (found === language ? [code] : [])).join('\n');
}

/** Starts the backend of `docs/backend.md`. `globals` replace what Node provides, such as its network. */
export function startBackend(settings: BackendSettings, globals: object = {}): GuideBackend {
  const exported =
    '({ createSession, refusalForBrowser, renewSession, releaseSession, terminateSession, listSessions, evaluate })';
  return runInNewContext(`${codeIn('backend', 'js', 'Code to copy')}\n${exported}`, {
    require,
    process: { env: settings },
    ...{ fetch, setTimeout, AbortSignal, URLSearchParams },
    ...globals,
  });
}

/** What a page needs beside the network: timers and events, which a test can replace. */
function browserGlobals(listeners: Map<string, () => void>): object {
  return {
    ...{ fetch, setTimeout, clearTimeout, performance, AbortSignal },
    addEventListener: (event: string, listener: () => void) => void listeners.set(event, listener),
    removeEventListener: (event: string) => void listeners.delete(event),
  };
}

/** Opens a page that plays a session. `globals` replace what the browser provides, such as its timers. */
export function openPage(session: Session, globals: object = {}): PlayerPage {
  const listeners = new Map<string, () => void>();
  const ends: string[] = [];
  const player = runInNewContext(`${codeIn('player', 'js', 'Code to copy')}\nnew PlaybackSession(session, onEnd)`, {
    session,
    onEnd: (code: string) => void ends.push(code),
    ...browserGlobals(listeners),
    // Without a content type, fetch labels a string like browsers label a beacon's: text/plain;charset=UTF-8.
    navigator: { sendBeacon: (url: string, body: string) => void fetch(url, { method: 'POST', body }) },
    ...globals,
  });
  return { player, ends, close: () => listeners.get('pagehide')?.() };
}

type PlayRequest = Pick<CreateRequest, 'contentId' | 'drmSystem' | 'replacesSessionId'>;

/** A tab of a site, which plays one content after the other with the code of `docs/player.md`. */
export interface SiteTab {
  play(contentId: string): Promise<GuidePlayer>;
  /** The codes with which a player was told to stop. */
  ends: string[];
}

/** Opens a tab of a browser with Widevine. `answerPlay` is the site's route `/play`. */
export function openTab(answerPlay: (request: PlayRequest) => Promise<Session>): SiteTab {
  const ends: string[] = [];
  const code = ['Choose the DRM system', 'Code to copy', 'The next content'].map((heading) =>
    codeIn('player', 'js', heading),
  );
  const play: (contentId: string, onEnd: (end: string) => void, previous?: GuidePlayer) => Promise<GuidePlayer> =
    runInNewContext([...code, 'play'].join('\n'), {
      ...browserGlobals(new Map()),
      fetch: async (url: string, request: RequestInit) =>
        url === '/play' ? Response.json(await answerPlay(JSON.parse(String(request.body)))) : fetch(url, request),
      navigator: {
        requestMediaKeySystemAccess: async (keySystem: string) => {
          if (keySystem !== 'com.widevine.alpha') throw new Error('NotSupportedError');
        },
      },
    });
  let playing: GuidePlayer | undefined;
  return {
    ends,
    play: async (contentId) => {
      playing = await play(contentId, (end) => void ends.push(end), playing);
      return playing;
    },
  };
}
