import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { PlaybackClient, PlaybackError, type PlaybackSession } from '@multi-drm/client';
import { startHttpServer } from '@multi-drm/test-kit/servers/http-server';
import {
  type PlayerLibrary,
  pageOf,
  pageScript,
  playerLibraries,
  playerScript,
  scriptTag,
  videoJsWithHls,
  wholePage,
} from './player-page';
import type { RunningProduct } from './running-product';

/** A customer's site on its own origin: a page for each player with the code of `docs/player.md`, and a backend with the client. */
export interface CustomerSite {
  playback: PlaybackClient;
  urlOf(library: PlayerLibrary): string;
  /** A page of the site without a video. */
  otherUrl: string;
}

/** What the site plays: the demo's clip, to a viewer of its own for each page. */
interface PlayRequest {
  contentId: string;
  drmSystem?: never;
  replacesSessionId?: string;
}

/** What becomes of a session before the page gets it, by the name that the page asks for. */
export type Meanwhile = Record<string, (session: PlaybackSession, subject: string) => Promise<unknown>>;

export const subjectOf = ({ name }: PlayerLibrary, contentId: string): string => `${contentId} with ${name}`;

export async function startCustomerSite(product: RunningProduct, meanwhile: Meanwhile): Promise<CustomerSite> {
  const { environments, apiClient, content, playbackUrl } = product.quickstart;
  const playback = new PlaybackClient({ url: playbackUrl, environmentId: environments.development, ...apiClient });
  const scripts: Record<string, string> = {
    'page.js': await pageScript(),
    'node_modules/@multi-drm/player/dist/script-tag.global.js': await scriptTag(),
  };
  const libraries = [...playerLibraries, videoJsWithHls, wholePage];

  async function play(library: PlayerLibrary, request: IncomingMessage): Promise<PlaybackSession> {
    const { contentId, drmSystem = 'widevine', ...rest } = (await json(request)) as PlayRequest;
    const subject = subjectOf(library, contentId);
    const platformCapabilities = { clientPlatform: 'web', manifestTypes: [library.manifestType] };
    const session = await playback.createSession({
      ...content,
      ...rest,
      drmSystem,
      subject,
      useEnvironmentDefaults: true,
      platformCapabilities,
    });
    await meanwhile[contentId]?.(session, subject);
    return session;
  }

  const url = await startHttpServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const asking = decodeURIComponent(request.headers.referer ?? '')
      .split('/')
      .at(-1);
    const library = libraries.find(({ name }) => name === (path === 'play' ? asking : path));
    const file = scripts[path] ?? playerScript(path);
    if (path === 'play' && library !== undefined) {
      response.setHeader('Cache-Control', 'no-store');
      play(library, request).then(
        (session) => response.end(JSON.stringify(session)),
        (error) => {
          response.statusCode = 409;
          response.end(JSON.stringify(error instanceof PlaybackError ? error.forBrowser() : { code: String(error) }));
        },
      );
    } else {
      response.setHeader('Content-Type', file === undefined ? 'text/html' : 'text/javascript');
      response.end(file ?? (library === undefined ? 'Another page.' : pageOf(library)));
    }
  });
  return { playback, urlOf: ({ name }) => `${url}/${encodeURIComponent(name)}`, otherUrl: `${url}/other` };
}

/** How many active sessions the viewer of a page has. */
export async function countSessions({ playback }: CustomerSite, subject: string): Promise<number> {
  let count = 0;
  for await (const _ of playback.listSessions({ subject })) count += 1;
  return count;
}
