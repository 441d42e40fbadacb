import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { browsersOf, type Started } from './browsers-of-the-site';
import { RunningProduct } from './running-product';

jest.setTimeout(120_000);

let product: RunningProduct;
beforeAll(async () => {
  product = await RunningProduct.start();
});
afterAll(() => product?.stop());

const Browser = browsersOf(() => product.quickstart.demoUrl);

test('a viewer sees and stops only their own streams', async () => {
  const [ada, ben] = await Promise.all([Browser.of('demo-ada'), Browser.of('demo-ben')]);
  await ada.start();
  const { number } = await ada.start();
  const own = await ben.start();
  expect(await ada.streams()).toHaveLength(2);
  expect(await ben.streams()).toEqual([own.number]);

  expect((await ben.post(`/api/streams/${number}/stop`)).status).toBe(404);
  expect(await ada.streams()).toHaveLength(2);
  for (const started of await ada.streams()) {
    expect((await ada.post(`/api/streams/${started}/stop`)).status).toBe(204);
  }
  expect(await ada.streams()).toEqual([]);
  expect(await ben.streams()).toEqual([own.number]);
});

test('a viewer sees their own last ten events with their reasons, without ids', async () => {
  const [ada, ben] = await Promise.all([Browser.of('demo-ada'), Browser.of('demo-ben')]);
  const stopAll = async () => {
    for (const number of await ben.streams()) await ben.post(`/api/streams/${number}/stop`);
  };
  for (let time = 0; time < 4; time += 1) {
    await stopAll();
    await ben.start();
  }
  await ben.start();
  expect((await ben.post('/api/streams')).status).toBe(409);
  let last = await ben.lastEvents();
  while (last.events[0]?.type !== 'session.refused' || last.events.length < 10) {
    await delay(20); // events are reported after the response
    last = await ben.lastEvents();
  }
  const other = { timestamp: expect.any(String), reason: null, code: null };
  expect(last.viewer).toBe('demo-ben');
  expect(last.events).toHaveLength(10);
  expect(last.events[0]).toEqual({ ...other, type: 'session.refused', code: 'concurrent_stream_limit_reached' });
  expect(last.events).toContainEqual({ ...other, type: 'session.started' });
  expect(last.events).toContainEqual({ ...other, type: 'session.ended', reason: 'terminated' });
  expect((await ada.lastEvents()).events.map(({ type }) => type)).not.toContain('session.refused');
  expect((await new Browser().get('/api/events')).status).toBe(401);
  await stopAll();
});

test('a viewer who is logged in sees how many streams all viewers have, and nobody else does', async () => {
  const [ada, ben] = await Promise.all([Browser.of('demo-ada'), Browser.of('demo-ben')]);
  const audience = async () => (await ben.get('/api/audience')).json();
  const { streams } = (await audience()) as { streams: number };
  const { number } = await ada.start();
  const now = await audience();
  expect(now).toEqual({ streams: streams + 1, limit: 100, peak: expect.any(Number), minutes: expect.any(Array) });
  expect(now.peak).toBeGreaterThanOrEqual(streams + 1);
  await ada.post(`/api/streams/${number}/stop`);
  expect((await new Browser().get('/api/audience')).status).toBe(401);
});

test('a browser that hangs up before its stream has started holds no slot', async () => {
  const ada = await Browser.of('demo-ada');
  const { number } = await ada.start();
  await ada.post(`/api/streams/${number}/stop`);
  const { playback } = product.quickstart.processes;
  process.kill(playback, 'SIGSTOP');
  const cutOff = await ada.begin();
  // When the site answers a later request, it has read the start.
  expect((await ada.get('/')).status).toBe(200);
  cutOff.destroy();
  process.kill(playback, 'SIGCONT');

  const { number: next } = await ada.start();
  while ((await ada.streams()).length > 1) await delay(20);
  expect(await ada.streams()).toEqual([next]);
  await ada.post(`/api/streams/${next}/stop`);
  // The interrupted stream had a number too.
  const last = await ada.start();
  expect(last.number).toBe(number + 3);
  await ada.post(`/api/streams/${last.number}/stop`);
});

test('a browser that is not logged in, or has logged out, cannot start a stream', async () => {
  expect((await new Browser().post('/api/streams')).status).toBe(401);
  const ada = await Browser.of('demo-ada');
  expect((await ada.post('/api/logout')).status).toBe(204);
  expect((await ada.post('/api/streams')).status).toBe(401);
});

test.each([
  ['an unknown viewer', '/api/login', { viewer: 'demo-eve' }, 'application/json', 400],
  [
    'a form, which pages of other sites can send',
    '/api/login',
    'viewer=demo-ada',
    'application/x-www-form-urlencoded',
    400,
  ],
  ['a body that is not JSON', '/api/login', '{', 'application/json', 400],
  ['a body that is too long', '/api/login', 'x'.repeat(2000), 'application/json', 400],
  ['an unknown route', '/api/other', {}, 'application/json', 401],
])('%s is refused', async (_what, path, body, contentType, status) => {
  expect((await new Browser().post(path, body, contentType)).status).toBe(status);
});

test('a call that names another viewer than the logged-in one starts and stops nothing', async () => {
  const ben = await Browser.of('demo-ben');
  const { number } = await ben.start();
  const before = await ben.streams();
  expect((await ben.post('/api/streams', { viewer: 'demo-ada' })).status).toBe(409);
  expect((await ben.post(`/api/streams/${number}/stop`, { viewer: 'demo-ada' })).status).toBe(409);
  expect(await ben.streams()).toEqual(before);
  expect((await ben.post(`/api/streams/${number}/stop`, { viewer: 'demo-ben' })).status).toBe(204);
});

test('a stream that replaces another leaves the number of streams the same', async () => {
  const ben = await Browser.of('demo-ben');
  const { number: replaces } = await ben.start();
  const before = await ben.streams();
  const answer = await ben.post('/api/streams', { viewer: 'demo-ben', replaces });
  const { number } = (await answer.json()) as Started;
  const after = await ben.streams();
  expect(after).toHaveLength(before.length);
  expect(after).toContain(number);
  expect(after).not.toContain(replaces);
  expect((await ben.post(`/api/streams/${number}/stop`)).status).toBe(204);
});

test('a refusal that is tried shows its code alone, and no other subject can be played as', async () => {
  const ada = await Browser.of('demo-ada');
  const answer = await ada.post('/api/streams', { sandbox: 'sandbox:concurrent_stream_limit_reached' });
  expect(answer.status).toBe(409);
  expect(await answer.json()).toEqual({ code: 'concurrent_stream_limit_reached' });
  for (const sandbox of ['demo-ben', 'sandbox:', 'sandbox:subject_blocked/..', 7]) {
    const started = await ada.post('/api/streams', { sandbox });
    expect(started.status).toBe(200);
    const { number } = (await started.json()) as Started;
    expect(await ada.streams()).toEqual([number]);
    await ada.post(`/api/streams/${number}/stop`);
  }
});

test('both titles are protected, each with keys of its own, which quickstart.json shows', async () => {
  const { demoUrl, titles, content } = product.quickstart;
  expect(titles.map(({ contentId }) => contentId)).toEqual([content.contentId, 'demo-trailer']);
  const ada = await Browser.of('demo-ada');
  for (const { contentId, keys } of titles) {
    const answer = await ada.post('/api/streams', { title: contentId });
    const { number, session } = (await answer.json()) as Started;
    const manifest = await (await fetch(session.manifestUrl)).text();
    expect(session.manifestUrl.startsWith(demoUrl)).toBe(true);
    for (const { keyId } of Object.values(keys)) expect(manifest).toContain(`cenc:default_KID="${keyId}"`);
    await ada.post(`/api/streams/${number}/stop`);
  }
});

test('the state has the limit before anything plays', async () => {
  const ada = await Browser.of('demo-ada');
  expect(await (await ada.get('/api/state')).json()).toMatchObject({ limit: 2 });
});

/** `fetch` sets Host itself. */
function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(product.quickstart.demoUrl + path, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject).end(method === 'POST' ? '{"viewer":"demo-ada"}' : undefined);
  });
}

test.each(['rebound.example', 'rebound.example:PORT', '127.0.0.1', '127.0.0.1:1', 'localhost.rebound.example:PORT'])(
  'nothing is served under another host name: %s',
  async (name) => {
    const { port } = new URL(product.quickstart.demoUrl);
    const headers = { Host: name.replace('PORT', port) };
    for (const path of ['/', '/clip/manifest.mpd', '/api/state'])
      expect(await statusOf('GET', path, headers)).toBe(421);
    expect(await statusOf('POST', '/api/login', { ...headers, 'Content-Type': 'application/json' })).toBe(421);
  },
);

test("pages of other origins cannot change anything, and the site's own can", async () => {
  const { port, origin } = new URL(product.quickstart.demoUrl);
  const json = { 'Content-Type': 'application/json' };
  for (const other of [
    'https://other.example',
    `http://127.0.0.1:${Number(port) + 1}`,
    `http://localhost:${port}`,
    'null',
  ]) {
    expect(await statusOf('POST', '/api/login', { ...json, Origin: other })).toBe(403);
  }
  expect(await statusOf('POST', '/api/login', { ...json, Origin: origin })).toBe(204);
  const localhost = { Host: `localhost:${port}`, Origin: `http://localhost:${port}` };
  expect(await statusOf('POST', '/api/login', { ...json, ...localhost })).toBe(204);
});

test.each(['/../package.json', '/%2e%2e/package.json', '/types.ts', '/clip/../quickstart.json'])(
  'files outside the site are not served: %s',
  async (path) => {
    expect((await new Browser().get(path)).status).toBe(404);
  },
);

test('a start refused at the limit does not reveal session ids', async () => {
  const ada = await Browser.of('demo-ada');
  const sessions = [await ada.start(), await ada.start()].map(({ session }) => session.sessionId);
  const answer = await ada.post('/api/streams');
  expect(answer.status).toBe(409);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({ code: 'concurrent_stream_limit_reached', limit: 2 });
  for (const sessionId of sessions) expect(text).not.toContain(sessionId);
});

test('while the control plane hangs, and after it has ended, streams go on and only the events are missing', async () => {
  const { controlPlane } = product.quickstart.processes;
  const ben = await Browser.of('demo-ben');
  const startAndStop = async () => {
    const { number } = await ben.start();
    expect(await ben.streams()).toContain(number);
    expect((await ben.post(`/api/streams/${number}/stop`)).status).toBe(204);
  };
  process.kill(controlPlane, 'SIGSTOP');
  try {
    let hangs = true;
    const events = ben.get('/api/events').finally(() => {
      hangs = false;
    });
    await startAndStop();
    expect(hangs).toBe(true);
    process.kill(controlPlane, 'SIGCONT');
    expect((await events).status).toBe(200);
  } finally {
    process.kill(controlPlane, 'SIGKILL');
  }

  let answer = await ben.get('/api/events');
  while (answer.ok) answer = await ben.get('/api/events'); // it has not ended yet
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({ code: 'service_unavailable' });
  await startAndStop();
});
