import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { playRequest } from '../documents/backend-environment';
import { atFirst, json, type UnreliableProxy } from '../servers/unreliable-proxy';
import { ExamplePage, renew } from './example-page';

/** What a check of a backend works with. */
export interface CheckedBackend {
  /** Its address, with a slash at the end. */
  url: string;
  /** Through it, the backend calls the playback service. */
  proxy: UnreliableProxy;
  /** The ids of a viewer's active sessions, oldest first; read past the proxy. */
  activeIds(viewer: string): Promise<string[]>;
}

interface BackendCheck {
  what: string;
  run(backend: CheckedBackend): Promise<void>;
}

/** Waits until a viewer has no active sessions. */
async function untilNoneIsActive({ activeIds }: CheckedBackend, viewer: string): Promise<void> {
  for (const deadline = Date.now() + 10_000; (await activeIds(viewer)).length > 0; await delay(20)) {
    assert(Date.now() < deadline, `${viewer} still has a session`);
  }
}

const unavailable = { code: 'service_unavailable' };

/**
 * What the suite of the guide's backend also checks. Each has viewers of its own, and the environment allows two streams of a viewer, so
 * that the checks of several backends may run at the same time.
 */
export const backendChecks: BackendCheck[] = [
  {
    what: 'starts a session that the page renews, replaces, and releases at logout',
    async run({ url, activeIds }) {
      const viewer = `lms:3f9c viewer+1/ü ${url}`;
      const page = await ExamplePage.logIn(url, viewer);
      const first = await page.play();
      assert.deepEqual(await activeIds(viewer), [first.sessionId]);
      assert.equal(first.contractVersion, 1);
      const renewed = await renew(first);
      assert(typeof renewed === 'object' && renewed.drm.drmLicenseToken !== first.drm.drmLicenseToken);
      const next = await page.play({ replacesSessionId: first.sessionId });
      assert.deepEqual(await activeIds(viewer), [next.sessionId]);
      assert.equal(await renew(first), 'session_released');
      assert.equal((await page.call('logout')).status, 204);
      assert.deepEqual(await activeIds(viewer), []);
    },
  },
  {
    what: 'shows the page no ids at the stream limit, and ends the stream that the viewer chooses',
    async run({ url, activeIds }) {
      const viewer = `family ${url}`;
      const [one, other] = [await ExamplePage.logIn(url, viewer), await ExamplePage.logIn(url, viewer)];
      const [oldest, newest] = [await one.play(), await one.play()];
      const refusal = await other.call('play', playRequest);
      assert.equal(refusal.status, 409);
      assert.deepEqual(refusal.body, {
        code: 'concurrent_stream_limit_reached',
        limit: 2,
        message: 'Playing on 2 devices: web, web',
        streams: [
          { number: 0, platform: 'web' },
          { number: 1, platform: 'web' },
        ],
      });
      assert.equal((await other.call('stop', { number: 2 })).status, 404);
      assert.equal((await other.call('stop', { number: 0 })).status, 204);
      assert.deepEqual(await activeIds(viewer), [newest.sessionId]);
      assert.equal(await renew(oldest), 'session_terminated');
      const mine = await other.play();
      assert.equal((await other.call('logout')).status, 204);
      assert.equal(await renew(mine), 'session_released');
      assert.deepEqual(await activeIds(viewer), [newest.sessionId]);
    },
  },
  {
    what: 'lets a page choose neither the viewer nor the policy',
    async run({ url, activeIds }) {
      const viewer = `honest ${url}`;
      const page = await ExamplePage.logIn(url, viewer);
      // Without the environment's policy, a request that names no other one would be refused.
      const session = await page.play({ subject: `other ${url}`, useEnvironmentDefaults: false });
      assert.deepEqual([await activeIds(viewer), await activeIds(`other ${url}`)], [[session.sessionId], []]);
    },
  },
  {
    what: 'starts nothing for a page that is not logged in',
    async run({ url, proxy }) {
      proxy.use((_, forward) => forward());
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${url}play`, { method: 'POST', headers, body: JSON.stringify(playRequest) });
      assert.deepEqual([response.status, proxy.calls], [401, 0]);
    },
  },
  {
    what: 'does not repeat a refusal, and passes its code on',
    async run({ url, proxy }) {
      const page = await ExamplePage.logIn(url, `curious ${url}`);
      proxy.use((_, forward) => forward());
      const { status, body } = await page.call('play', { ...playRequest, contentId: 'unknown' });
      assert.deepEqual([status, body, proxy.calls], [409, { code: 'content_not_found' }, 1]);
    },
  },
  ...[
    { what: 'an answer that is lost', broken: undefined },
    { what: "a proxy's JSON with 502", broken: json(502, { message: 'Bad gateway', code: 'BAD_GATEWAY' }) },
    { what: "a proxy's HTML with 200", broken: { status: 200, headers: {}, body: '<html>' } },
    { what: 'a body that is cut off', broken: { ...json(200, { sessionId: 'x' }), cutOff: true } },
    { what: 'a problem that is retryable', broken: retryable('service_unavailable', 503, '1') },
    { what: 'a Retry-After that is a date', broken: retryable('service_unavailable', 503, new Date(0).toUTCString()) },
  ].map(({ what, broken }) => ({
    what: `has one session after ${what}`,
    async run({ url, proxy, activeIds }: CheckedBackend) {
      const viewer = `patient, ${what} ${url}`;
      const page = await ExamplePage.logIn(url, viewer);
      proxy.use(
        atFirst(1, async (_, forward) => {
          await forward();
          return broken;
        }),
      );
      const session = await page.play();
      assert.deepEqual([await activeIds(viewer), proxy.calls], [[session.sessionId], 2]);
    },
  })),
  {
    what: 'leaves no session when every answer to a create is lost',
    async run(backend) {
      const viewer = `unlucky ${backend.url}`;
      const page = await ExamplePage.logIn(backend.url, viewer);
      backend.proxy.use(async ({ path }, forward) => {
        const answer = await forward();
        return path.endsWith('/release') ? answer : undefined;
      });
      const { status, body } = await page.call('play', playRequest);
      assert.deepEqual([status, body], [503, unavailable]);
      await untilNoneIsActive(backend, viewer);
    },
  },
  ...[
    { what: '27 seconds', seconds: 27, header: () => '27' },
    { what: 'a week', seconds: 604_800, header: () => '604800' },
    { what: 'a date', seconds: 604_800, header: () => new Date(Date.now() + 604_800_000).toUTCString() },
  ].map(({ what, seconds, header }) => ({
    what: `does not wait for a Retry-After of ${what}, but passes it on`,
    async run({ url, proxy }: CheckedBackend) {
      const page = await ExamplePage.logIn(url, `hasty ${url}`);
      proxy.use(async () => retryable('rate_limited', 429, header()));
      const { status, headers, body } = await page.call('play', playRequest);
      assert.deepEqual([status, body, proxy.calls], [503, { code: 'rate_limited' }, 1]);
      const passedOn = Number(headers.get('Retry-After'));
      // From a date, the time of the call is missing.
      assert(passedOn > seconds - 30 && passedOn < seconds + 2, `Retry-After is ${passedOn}`);
    },
  })),
  {
    what: 'follows no redirect, which would get the access key',
    async run({ url, proxy }) {
      const page = await ExamplePage.logIn(url, `moved ${url}`);
      const called: string[] = [];
      proxy.use(async ({ path }) => {
        called.push(path);
        return { status: 302, headers: { Location: `${proxy.url}/elsewhere` }, body: '' };
      });
      const { status, body } = await page.call('play', playRequest);
      assert.deepEqual([status, body], [503, unavailable]);
      assert(!called.includes('/elsewhere'), 'it was followed');
    },
  },
];

function retryable(code: string, status: number, retryAfter: string) {
  const problem = { code, retryable: true, status, title: code, detail: 'Later.', requestId: 'r' };
  return json(status, problem, { 'Retry-After': retryAfter });
}
