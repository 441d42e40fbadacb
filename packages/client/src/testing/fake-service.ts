import { PlaybackClient, type PlaybackClientOptions } from '../playback-client';
import type { CreateSessionRequest } from '../types';
import { FakeSurroundings } from './fake-surroundings';

/** A request that the client has sent. */
export interface SentRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
  redirect: string | undefined;
}

/** Answers a request, or rejects as a broken connection does. */
export type Answer = (request: SentRequest, signal: AbortSignal) => Response | Promise<Response>;

export const accessKey = 'ak_very-secret-access-key';

/** A client, and a service that gives these answers one after the other, the last one again and again. Releases succeed. */
export function clientOf(answers: Answer[], options: Partial<PlaybackClientOptions> = {}) {
  const surroundings = new FakeSurroundings();
  const requests: SentRequest[] = [];
  const releases: Promise<void>[] = [];
  let count = 0;
  const client = new PlaybackClient(
    {
      url: 'https://playback.example.com/',
      environmentId: '01967f3a-1c00-7a10-8b1e-3d5f7a9c1e03',
      clientId: 'shop',
      accessKey,
      onRelease: (release) => void releases.push(release),
      fetch: async (url, { method = '', headers, body, signal, redirect }) => {
        const json = body === undefined ? undefined : JSON.parse(String(body));
        const request = { url, method, headers: headers as Record<string, string>, body: json, redirect };
        requests.push(request);
        if (url.endsWith('/release')) return new Response(null, { status: 204 });
        const answer = answers[Math.min(count, answers.length - 1)];
        count += 1;
        if (answer === undefined || signal == null) throw new Error('the test has no answer');
        return answer(request, signal);
      },
      ...options,
    },
    surroundings,
  );
  const sent = (end: string) => requests.filter(({ url }) => new URL(url).pathname.endsWith(end));
  return {
    client,
    surroundings,
    requests,
    releases,
    creates: () => sent('/sessions'),
    released: () => sent('/release'),
  };
}

/** The request of most tests. */
export const watch: CreateSessionRequest = {
  contentId: 'lesson-0042',
  contentType: 'vod',
  drmSystem: 'widevine',
  subject: 'viewer-17',
  useEnvironmentDefaults: true,
};

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json(body, { status, headers });

/** What the client looks at of a session, with the id that was asked for. */
export const session: Answer = ({ body }) =>
  Response.json({ contractVersion: 1, sessionId: Reflect.get(Object(body), 'sessionId'), drm: {} });

/** A success with this body. */
export const success = (body: object): Answer => json(200, body);

/** A refusal, as the service writes it. */
export const refusal = (
  status: number,
  code: string,
  { retryable = false, ...members }: { retryable?: boolean; [member: string]: unknown } = {},
  headers: Record<string, string> = {},
): Answer =>
  json(
    status,
    { code, status, retryable, detail: 'Because of the test.', requestId: 'request-1', ...members },
    headers,
  );

/** What a proxy writes, with what it got from the client, as some do. */
export const proxyPage =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (request) =>
    new Response(`<html>${status} ${JSON.stringify(request.headers)}</html>`, { status, headers });

/** No connection. */
export const noConnection: Answer = () => Promise.reject(new TypeError('fetch failed'));

/** The connection stays open and silent. */
export const silence: Answer = (_, signal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** The connection ends in the middle of the body. */
export const brokenOff: Answer = () =>
  new Response(
    new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode('{"contractVersion": 1, "sess'));
        stream.error(new TypeError('terminated'));
      },
    }),
  );
