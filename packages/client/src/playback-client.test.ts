import { inspect } from 'node:util';
import { playbackProblems } from '@multi-drm/contracts';
import { PlaybackClient } from './playback-client';
import { PlaybackProblem } from './playback-error';
import { accessKey, clientOf, noConnection, proxyPage, refusal, session, success, watch } from './testing/fake-service';

const environmentUrl = 'https://playback.example.com/api/v1/playback/environments/01967f3a-1c00-7a10-8b1e-3d5f7a9c1e03';

test('each call is sent to its path, with the credentials, and never follows a redirection', async () => {
  const { client, requests } = clientOf([session, session, success({ allowed: true })]);
  const named = { sessionId: 'a/b', subject: 'viewer-17' };
  expect(await client.createSession(watch)).toMatchObject({ sessionId: 'session-0000000001' });
  await client.renewSession(named);
  expect(await client.evaluate(watch)).toEqual({ allowed: true });
  expect(await client.releaseSession(named)).toBeUndefined();
  await client.terminateSession(named);
  const sent = requests.map(({ method, url, body }) => [method, url.replace(environmentUrl, ''), body]);
  expect(sent).toEqual([
    ['POST', '/sessions', { ...watch, sessionId: 'session-0000000001' }],
    ['POST', '/sessions/a%2Fb/renew', { subject: 'viewer-17' }],
    ['POST', '/sessions/evaluations', watch],
    ['POST', '/sessions/a%2Fb/release', { subject: 'viewer-17', reason: 'ended' }],
    ['POST', '/sessions/a%2Fb/release', { subject: 'viewer-17', reason: 'terminated' }],
  ]);
  for (const { headers, redirect } of requests) {
    expect(headers).toMatchObject({ 'X-SERVICE-Client-Id': 'shop', 'X-SERVICE-Client-Secret': accessKey });
    expect(redirect).toBe('manual');
  }
});

test('another prefix of the credential headers, and an id of your own, are sent', async () => {
  const { client, requests } = clientOf([session], { headerPrefix: 'X-SHOP' });
  await client.createSession({ ...watch, sessionId: 'my-own-session-id' });
  expect(requests[0]?.headers).toMatchObject({ 'X-SHOP-Client-Id': 'shop', 'X-SHOP-Client-Secret': accessKey });
  expect(requests[0]?.body).toMatchObject({ sessionId: 'my-own-session-id' });
});

test('a list goes through its pages, and fetches no page that nobody reads', async () => {
  const pages = [
    success({ items: [{ sessionId: '1' }, { sessionId: '2' }], nextCursor: 'c+/ü' }),
    success({ items: [], nextCursor: 'd' }),
    success({ items: [{ sessionId: '3' }], nextCursor: null }),
  ];
  const all = clientOf(pages);
  const ids: string[] = [];
  for await (const { sessionId } of all.client.listSessions({ subject: 'viewer+17/ü' })) ids.push(sessionId);
  expect(ids).toEqual(['1', '2', '3']);
  const queries = all.requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
  const first = { limit: '200', subject: 'viewer+17/ü' };
  expect(queries).toEqual([first, { ...first, cursor: 'c+/ü' }, { ...first, cursor: 'd' }]);

  const some = clientOf(pages);
  for await (const _ of some.client.listSessions()) break;
  expect(some.requests).toHaveLength(1);
});

test.each(Object.entries(playbackProblems))('the problem %s is a typed error', async (code, { status, retryable }) => {
  const { client } = clientOf([refusal(status, code, { retryable }, { 'Retry-After': '600' })]);
  const error = await client.createSession(watch).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(PlaybackProblem);
  expect(error).toMatchObject({ code, status, retryable, requestId: 'request-1', retryAfterSeconds: 600 });
  expect(error.message).toBe(`${code}: Because of the test. (request request-1)`);
});

test('a problem of a newer service is a typed error, too, and unknown members are ignored', async () => {
  const { client } = clientOf([refusal(418, 'kettle_is_cold', { temperature: 20 })]);
  const problem = { name: 'PlaybackProblem', code: 'kettle_is_cold', status: 418, retryable: false };
  await expect(client.createSession(watch)).rejects.toMatchObject(problem);
});

describe('at the stream limit', () => {
  const activeSessions = [
    { sessionId: 'session-of-ada', contentId: 'thriller', clientPlatform: 'web', startedAt: '2026-03-01T09:00:00Z' },
    { sessionId: 'session-of-ben', contentId: 'cartoon', clientPlatform: null, startedAt: '2026-03-01T09:10:00Z' },
  ];
  const refused = async (members: object) => {
    const { client } = clientOf([refusal(429, 'concurrent_stream_limit_reached', { ...members })]);
    return client.createSession(watch).catch((thrown) => thrown);
  };

  test('the backend gets the active sessions, and a browser only the platforms', async () => {
    const error = await refused({ limit: 2, activeSessions });
    expect([error.limit, error.activeSessions]).toEqual([2, activeSessions]);
    expect(error.forBrowser()).toEqual({
      code: 'concurrent_stream_limit_reached',
      retryable: false,
      limit: 2,
      devices: ['web', 'unknown'],
    });
  });

  test('an error that is logged or sent as JSON names no session and no content', async () => {
    const error = await refused({ limit: 2, activeSessions });
    for (const text of [JSON.stringify(error), JSON.stringify({ ...error }), inspect(error, { showHidden: true })]) {
      expect(text).toContain('concurrent_stream_limit_reached');
      expect(text).not.toMatch(/session-of|thriller|cartoon/);
    }
  });

  test('a refusal without the list is one all the same', async () => {
    expect((await refused({ limit: 'two', activeSessions: null })).forBrowser()).toEqual({
      code: 'concurrent_stream_limit_reached',
      retryable: false,
    });
  });
});

test('a browser learns of an answer that is missing or unreadable only that the service is unavailable', async () => {
  const unreachable = await clientOf([noConnection])
    .client.createSession(watch)
    .catch((thrown) => thrown);
  expect(unreachable.forBrowser()).toEqual({ code: 'service_unavailable', retryable: true });
  const foreign = await clientOf([proxyPage(403, { 'Retry-After': '9' })])
    .client.createSession(watch)
    .catch((thrown) => thrown);
  expect(foreign.forBrowser()).toEqual({ code: 'service_unavailable', retryable: false, retryAfterSeconds: 9 });
});

test('the access key is in no inspection of the client, and in no error, even if a proxy repeats it', async () => {
  const shown: unknown[] = [];
  for (const answer of [noConnection, proxyPage(200), proxyPage(502), proxyPage(403), refusal(401, 'token_invalid')]) {
    const { client } = clientOf([answer]);
    const error = await client.createSession(watch).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    shown.push(client, error, error.cause);
  }
  for (const value of shown) {
    expect(inspect(value, { showHidden: true, depth: 9 })).not.toContain(accessKey);
    expect(JSON.stringify(value) ?? '').not.toContain(accessKey);
  }
});

const complete = { url: 'https://playback.example.com', environmentId: 'e', clientId: 'c', accessKey: 'k' };

test.each([
  [{ accessKey: 'ak_from-a-file\n' }, 'accessKey'],
  [{ clientId: '' }, 'clientId'],
  [{ environmentId: undefined }, 'environmentId'],
  [{ headerPrefix: 'X SHOP' }, 'headerPrefix'],
  [{ url: undefined }, 'Invalid URL'],
])('a client with %j is refused at once, without showing the value', (change, message) => {
  const make = () => new PlaybackClient({ ...complete, ...(change as object) });
  expect(make).toThrow(message);
  expect(make).not.toThrow(/ak_from/);
});
