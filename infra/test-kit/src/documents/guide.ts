import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { type CreateSessionRequest, PlaybackClient, type PlaybackSession } from '@multi-drm/client';
import { repositoryFolder } from '@multi-drm/local/repository';

/** What the route of the guide reads of a call of a player, and of the site's login. */
export interface PlayCall {
  viewer: { id: string };
  body: Pick<CreateSessionRequest, 'contentId' | 'drmSystem' | 'platformCapabilities' | 'replacesSessionId'>;
}

/** What a route of the guide answered. */
export interface RouteAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** The backend of `docs/backend.md`, whose code is unchanged but for its imports. */
export interface GuideBackend {
  playback: PlaybackClient;
  /** The route that starts playback, and that receives webhooks. */
  play(call: PlayCall): Promise<RouteAnswer>;
  receive(call: { headers: Record<string, string>; body: Buffer }): Promise<RouteAnswer>;
  stop(subject: string, sessionId: string): Promise<void>;
  logOut(subject: string, sessionIds: string[]): Promise<void>;
  playing(subject?: string): Promise<string[]>;
  renew(subject: string, sessionId: string): Promise<PlaybackSession>;
}

/** The player of one session of `docs/player.md`. */
export interface GuidePlayer {
  readonly session: PlaybackSession;
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
  /** For its route that receives webhooks. */
  WEBHOOK_SECRET?: string;
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

/** A backend's client of the playback service, with the variables that the guide names. */
export const clientOf = ({ PLAYBACK_URL, SITE_ID, CLIENT_ID, ACCESS_KEY }: BackendSettings): PlaybackClient =>
  new PlaybackClient({ url: PLAYBACK_URL, environmentId: SITE_ID, clientId: CLIENT_ID, accessKey: ACCESS_KEY });

/** Starts the backend of `docs/backend.md`. `log` receives what it prints. */
export function startBackend(settings: BackendSettings, log: (...line: unknown[]) => void = () => {}): GuideBackend {
  const code = ['Code to copy', 'Other calls', 'Receive webhooks'].map((heading) => codeIn('backend', 'js', heading));
  const script = code.join('\n').replaceAll(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = require($2);');
  const { play, receive, ...rest } = runInNewContext(
    `${script}\n({ playback, play, receive, stop, logOut, playing, renew })`,
    { require, process: { env: settings }, console: { log, error: log } },
  );
  return { play: answerOf(play), receive: answerOf(receive), ...rest };
}

/** Calls a route as Express does. */
const answerOf =
  <Call>(route: (call: Call, response: object) => Promise<void>) =>
  async (call: Call): Promise<RouteAnswer> => {
    const answer: RouteAnswer = { status: 200, headers: {}, body: undefined };
    const response = {
      set: (name: string, value: string) => {
        answer.headers[name] = value;
        return response;
      },
      status: (status: number) => {
        answer.status = status;
        return response;
      },
      json: (body: unknown) => {
        answer.body = body;
      },
      end: () => {},
    };
    await route(call, response);
    return answer;
  };

/** What a page needs beside the network: timers and events, which a test can replace. */
function browserGlobals(listeners: Map<string, () => void>): object {
  return {
    ...{ fetch, setTimeout, clearTimeout, performance, AbortSignal },
    addEventListener: (event: string, listener: () => void) => void listeners.set(event, listener),
    removeEventListener: (event: string) => void listeners.delete(event),
  };
}

/** Opens a page that plays a session. `globals` replace what the browser provides, such as its timers. */
export function openPage(session: PlaybackSession, globals: object = {}): PlayerPage {
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

type PlayRequest = Pick<CreateSessionRequest, 'contentId' | 'drmSystem' | 'replacesSessionId'>;

/** A tab of a site, which plays one content after the other with the code of `docs/player.md`. */
export interface SiteTab {
  play(contentId: string): Promise<GuidePlayer>;
  /** The codes with which a player was told to stop. */
  ends: string[];
}

/** Opens a tab of a browser with Widevine. `answerPlay` is the site's route `/play`. */
export function openTab(answerPlay: (request: PlayRequest) => Promise<PlaybackSession>): SiteTab {
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
