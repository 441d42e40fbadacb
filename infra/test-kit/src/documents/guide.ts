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

/** The environment variables that the backend of `docs/backend.md` reads. */
export interface BackendSettings {
  PLAYBACK_URL: string;
  SITE_ID: string;
  CLIENT_ID: string;
  ACCESS_KEY: string;
  /** For its route that receives webhooks. */
  WEBHOOK_SECRET?: string;
}

type Language = 'html' | 'js' | 'json' | 'sh';

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
