import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createManagementClient } from '@multi-drm/management-client';
import { type DemoTitle, demoTitles } from './clip/demo-titles';
import { DemoPlayback, type PlaybackClientOptions } from './playback-client';
import { readSandboxSubjects } from './sandbox-subjects';
import { type SiteAnswer, SiteBackend } from './site-backend';
import { findSiteFiles, type SiteFile } from './site-files';
import { Streams } from './streams';
import { Logins } from './viewers';

export interface DemoSiteOptions extends PlaybackClientOptions {
  controlPlaneUrl: string;
  port: number;
  /** Receives every error that no response reports. */
  onFailure: (error: unknown) => void;
}

/** The manifests of a title's clip, which share the same segments. */
export interface DemoManifestUrls {
  dash: string;
  hls: string;
}

export interface DemoSite {
  url: string;
  close(): Promise<void>;
}

/** The address that the site listens on: only this machine's. */
const host = '127.0.0.1';

function demoSiteUrl(port: number): string {
  return `http://${host}:${port}`;
}

/** Returns the URLs of the manifests of a title's clip by type. */
export function demoManifestUrls(port: number, { folder }: DemoTitle): DemoManifestUrls {
  const clip = `${demoSiteUrl(port)}/${folder}`;
  return { dash: `${clip}/manifest.mpd`, hls: `${clip}/manifest.m3u8` };
}

const longestBody = 1024;

/** Starts a small customer site: a page with a player, and the backend that creates its playback sessions. */
export async function startDemoSite(options: DemoSiteOptions): Promise<DemoSite> {
  const url = demoSiteUrl(options.port);
  const files = findSiteFiles();
  const streams = new Streams(new DemoPlayback(options));
  const { environments, eventsKey, titles } = options.customer;
  // The key is on the server and never reaches the browser.
  const management = createManagementClient({
    url: options.controlPlaneUrl,
    credential: eventsKey,
    timeoutMilliseconds: 5000,
  });
  const readSubjects = () => readSandboxSubjects(options.playbackUrl);
  const choices = { titles, readSubjects };
  const { development } = environments;
  const backend = new SiteBackend(new Logins(), streams, management, development, choices, options.onFailure);
  const ownOrigins = [url, `http://localhost:${options.port}`].map((address) => new URL(address).origin);
  const policy = contentSecurityPolicy(url, options.playbackUrl);
  const server = createServer((request, response) => {
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    handle(request, response).catch((error) => {
      // A caller that hangs up during its request needs no response.
      if (error?.code === 'ECONNRESET') return;
      options.onFailure(error);
      if (!response.headersSent) sendAnswer(response, { status: 500, json: { code: 'internal_error' } });
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const refused = refusalOfForeign(request, ownOrigins);
    if (refused !== undefined) return sendAnswer(response, refused);
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const file = files.get(path);
    if (file !== undefined && (method === 'GET' || method === 'HEAD')) return sendFile(response, path, file);
    const body = await readBody(request);
    const { cookie: cookies } = request.headers;
    if (body === 'unreadable') return sendAnswer(response, { status: 400, json: { code: 'invalid_request' } });
    const gone = new AbortController();
    response.once('close', () => response.writableFinished || gone.abort());
    sendAnswer(response, await backend.answer({ method, path, cookies, body: body?.json, gone: gone.signal }));
  }

  server.listen(options.port, host);
  await once(server, 'listening');
  return {
    url,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Allows only the site's own scripts and styles, and calls to the site and to the playback service. */
function contentSecurityPolicy(siteUrl: string, playbackUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    "media-src 'self' blob:",
    // The manifest has the registered URL of the site, even if the page was opened as localhost.
    `connect-src 'self' ${siteUrl} ${playbackUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Refuses calls with another host name, which another site may have pointed at this machine, and changes requested by another site's
 * page.
 */
function refusalOfForeign({ method, headers }: IncomingMessage, ownOrigins: string[]): SiteAnswer | undefined {
  const { host: named = '', origin } = headers;
  const called = `http://${named.toLowerCase()}`;
  if (!ownOrigins.includes(called)) return { status: 421, json: { code: 'other_host' } };
  const reads = method === 'GET' || method === 'HEAD';
  if (!reads && origin !== undefined && origin !== called) return { status: 403, json: { code: 'other_origin' } };
  return undefined;
}

async function sendFile(response: ServerResponse, path: string, file: SiteFile): Promise<void> {
  const bytes = await file.read();
  response.setHeader('Content-Type', file.contentType);
  response.setHeader('Content-Length', bytes.length);
  response.setHeader('Cache-Control', 'no-cache');
  // The clips are encrypted, so players of other sites may fetch them.
  if (demoTitles.some(({ folder }) => path.startsWith(`/${folder}/`)))
    response.setHeader('Access-Control-Allow-Origin', '*');
  response.end(bytes);
}

function sendAnswer(response: ServerResponse, { status, json, headers = {} }: SiteAnswer): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (json === undefined) {
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(json));
}

/** Accepts only JSON bodies, because pages of other sites cannot send them here. */
async function readBody(request: IncomingMessage): Promise<{ json: unknown } | 'unreadable' | undefined> {
  if (request.method !== 'POST') return undefined;
  if (!/^application\/json(;|$)/i.test(request.headers['content-type'] ?? '')) return 'unreadable';
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > longestBody) return 'unreadable';
  }
  try {
    return { json: JSON.parse(text) };
  } catch {
    return 'unreadable';
  }
}
