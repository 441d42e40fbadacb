import type { CreateSession } from '../replacement';
import type { PlaybackSession } from '../session';
import { type PlaybackEnd, SessionKeeper } from '../session-keeper';
import { SimulatedPage, SimulatedVideo } from './simulated-page';

const url = 'https://playback.example.com';
const route = { method: 'POST', authorizationScheme: 'Bearer' };
export const serverTime = Date.parse('2026-01-01T00:00:00Z');
export const at = (seconds: number) => new Date(serverTime + seconds * 1000).toISOString();
let count = 0;

/** A session that lasts 50 seconds, with a heartbeat of 20. */
export function sessionAt(seconds: number, changes: Partial<PlaybackSession> = {}): PlaybackSession {
  count += 1;
  const sessionId = `session ${count}`;
  return {
    contractVersion: 1,
    sessionId,
    manifestUrl: 'https://cdn.example.com/a.mpd',
    manifestUrls: [],
    serverTime: at(seconds),
    expiresAt: at(seconds + 50),
    renewal: { ...route, url: `${url}/${sessionId}/renew`, intervalSeconds: 20 },
    release: { ...route, url: `${url}/${sessionId}/release` },
    drm: { licenseServerUrl: `${url}/licenses`, drmLicenseToken: `token of ${sessionId}`, keySystems: [] },
    ...changes,
  };
}

export const renewed = (session: PlaybackSession, seconds: number): PlaybackSession => ({
  ...session,
  serverTime: at(seconds),
  expiresAt: at(seconds + 50),
});

export const offline = () => {
  throw new TypeError('Failed to fetch');
};
export const problem = (code: string, status = 403) => Response.json({ code, retryable: false }, { status });
export const unavailable = (retryAfter: string) => () =>
  Response.json(
    { code: 'service_unavailable', retryable: true },
    { status: 503, headers: { 'Retry-After': retryAfter } },
  );
export const html = (status: number) => () => new Response('<h1>Welcome to the hotel</h1>', { status });
export const hangs = (signal?: AbortSignal | null) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));

export type Answer = (signal?: AbortSignal | null) => Response | Promise<Response>;

/** A page that plays a session. `onRenew` plays the service, `createSession` the backend. */
export function play(onRenew: Answer, createSession: CreateSession = async () => sessionAt(0), session = sessionAt(0)) {
  const calls: { path: string; token: string }[] = [];
  let onRelease: Answer = () => new Response(null, { status: 204 });
  let renewal = onRenew;
  const page = new SimulatedPage(async (input, init) => {
    const path = String(input).slice(url.length + 1);
    calls.push({ path, token: new Headers(init?.headers).get('Authorization') ?? '' });
    return path.endsWith('/renew') ? renewal(init?.signal) : onRelease(init?.signal);
  });
  const ends: PlaybackEnd[] = [];
  const create = jest.fn(createSession);
  const onSession = jest.fn();
  const onEnd = (end: PlaybackEnd) => ends.push(end);
  const keeper = new SessionKeeper({ session, createSession: create, onEnd, onSession }, page);
  const video = new SimulatedVideo();
  keeper.attach(video);
  void video.play();
  const paths = (kind: string) => calls.map(({ path }) => path).filter((path) => path.endsWith(kind));
  return {
    ...{ page, keeper, video, ends, create, onSession, calls, session },
    renewals: () => paths('/renew').length,
    released: () => paths('/release').map((path) => path.replace('/release', '')),
    service: (answers: { renew?: Answer; release?: Answer }) => {
      renewal = answers.renew ?? renewal;
      onRelease = answers.release ?? onRelease;
    },
  };
}
