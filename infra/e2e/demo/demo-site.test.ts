import { RunningProduct } from './running-product';

jest.setTimeout(120_000);

let product: RunningProduct;
beforeAll(async () => {
  product = await RunningProduct.start();
});
afterAll(() => product?.stop());

interface Started {
  number: number;
  session: { sessionId: string };
}

/** A browser with one viewer logged in, or with nobody. */
class Browser {
  private cookie = '';

  static async of(viewer: string): Promise<Browser> {
    const browser = new Browser();
    const answer = await browser.post('/api/login', { viewer });
    expect(answer.status).toBe(204);
    browser.cookie = (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
    return browser;
  }

  post(path: string, body: unknown = {}, contentType = 'application/json'): Promise<Response> {
    const headers = { Cookie: this.cookie, 'Content-Type': contentType };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(product.quickstart.demoUrl + path, { method: 'POST', headers, body: text });
  }

  get(path: string): Promise<Response> {
    return fetch(product.quickstart.demoUrl + path, { headers: { Cookie: this.cookie } });
  }

  async start(): Promise<Started> {
    const answer = await this.post('/api/streams');
    expect(answer.status).toBe(200);
    return (await answer.json()) as Started;
  }

  async streams(): Promise<number[]> {
    const { streams } = (await (await this.get('/api/state')).json()) as { streams: { number: number }[] };
    return streams.map(({ number }) => number);
  }
}

test('a viewer sees and stops own streams alone', async () => {
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

test('whoever is not logged in, or has logged out, starts nothing', async () => {
  expect((await new Browser().post('/api/streams')).status).toBe(401);
  const ada = await Browser.of('demo-ada');
  expect((await ada.post('/api/logout')).status).toBe(204);
  expect((await ada.post('/api/streams')).status).toBe(401);
});

test.each([
  ['a viewer that does not exist', '/api/login', { viewer: 'demo-eve' }, 'application/json', 400],
  [
    'a form, as pages of other sites can send',
    '/api/login',
    'viewer=demo-ada',
    'application/x-www-form-urlencoded',
    400,
  ],
  ['a body that is no JSON', '/api/login', '{', 'application/json', 400],
  ['a body that is too long', '/api/login', 'x'.repeat(2000), 'application/json', 400],
  ['an unknown route', '/api/other', {}, 'application/json', 401],
])('%s is refused', async (_what, path, body, contentType, status) => {
  expect((await new Browser().post(path, body, contentType)).status).toBe(status);
});

test.each(['/../package.json', '/%2e%2e/package.json', '/types.ts', '/clip/../quickstart.json'])(
  'nothing but the site is served: %s',
  async (path) => {
    expect((await new Browser().get(path)).status).toBe(404);
  },
);

test('a start that the limit refuses says so without ids of sessions', async () => {
  const ada = await Browser.of('demo-ada');
  const sessions = [await ada.start(), await ada.start()].map(({ session }) => session.sessionId);
  const answer = await ada.post('/api/streams');
  expect(answer.status).toBe(409);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({ code: 'concurrent_stream_limit_reached', limit: 2 });
  for (const sessionId of sessions) expect(text).not.toContain(sessionId);
});
