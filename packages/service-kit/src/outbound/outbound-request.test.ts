import { clientOf, closeAll, failureOf, get, never, serve } from './testing/local-servers';

afterEach(closeAll);

test('a POST is sent byte for byte, and its response is returned', async () => {
  const { port } = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(201, { 'X-Method': `${request.method} ${request.url}`, 'Set-Cookie': ['a=1', 'b=2'] });
    response.end(JSON.stringify({ headers: request.headers, body: Buffer.concat(chunks).toString('hex') }));
  });
  const answer = await clientOf().send(
    {
      method: 'POST',
      url: `http://127.0.0.1:${port}/license?a=b#c`,
      headers: {
        'X-Token': 't',
        Host: 'evil',
        'Transfer-Encoding': 'chunked',
        'Content-Length': '1',
        Connection: 'x-token',
        'Accept-Encoding': 'gzip',
      },
      body: Buffer.from([0, 255, 10, 13]),
    },
    { signal: never, httpAllowed: true },
  );
  expect(answer).toMatchObject({ status: 201, headers: { 'x-method': 'POST /license?a=b', 'set-cookie': 'a=1,b=2' } });
  expect(JSON.parse(answer.body.toString())).toEqual({
    headers: {
      host: `127.0.0.1:${port}`,
      'accept-encoding': 'identity',
      'content-length': '4',
      'x-token': 't',
      connection: 'keep-alive',
    },
    body: '00ff0a0d',
  });
});

test('a redirect is returned unchanged, even to an internal address', async () => {
  let calls = 0;
  const { port } = await serve((_request, response) => {
    calls += 1;
    response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data/' }).end();
  });
  const answer = await get(clientOf(), `http://127.0.0.1:${port}/`);
  expect(answer).toMatchObject({ status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } });
  expect(calls).toBe(1);
});

describe('no connection is made', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[::1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::]:PORT/',
    'http://user:secret@8.8.8.8:PORT/',
    'ftp://8.8.8.8/',
    'file:///etc/passwd',
    'no url',
  ])('for %s', async (url) => {
    const { port, connections } = await serve((_request, response) => response.end());
    const failure = await failureOf(get(clientOf({ allowed: '' }), url.replace('PORT', String(port))));
    expect(failure).toMatchObject({ kind: 'address_refused', progress: 'not_sent', mayHaveReached: false });
    expect(JSON.stringify([failure, failure.message])).not.toMatch(/127|secret/);
    expect(connections.size).toBe(0);
  });

  test('over http, unless allowed', async () => {
    const sent = clientOf().send({ method: 'GET', url: 'http://127.0.0.1/' }, { signal: never });
    expect(await failureOf(sent)).toMatchObject({ kind: 'address_refused' });
  });

  test.each([
    ['private addresses', ['10.0.0.1']],
    ['a public and a private address', ['8.8.8.8', '10.0.0.1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['an invalid address', ['localhost']],
  ])('to a host with %s', async (_kind, addresses) => {
    const client = clientOf({ allowed: '', resolve: async () => addresses });
    const failure = await failureOf(get(client, 'http://backend.example/'));
    expect(failure).toMatchObject({ kind: 'address_refused', mayHaveReached: false });
    expect(JSON.stringify([failure, failure.message])).not.toContain('10.0');
  });
});

test('a host that the operator lists may resolve to any address', async () => {
  const { port } = await serve((request, response) => response.end(request.headers.host));
  const client = clientOf({ allowed: 'drm.internal', resolve: async () => ['127.0.0.1'] });
  expect((await get(client, `http://DRM.internal:${port}/`)).body.toString()).toBe(`drm.internal:${port}`);
  expect(await failureOf(get(client, `http://other.internal:${port}/`))).toMatchObject({ kind: 'address_refused' });
});

test('without a custom resolver, the system resolves localhost if the operator lists it', async () => {
  const { port } = await serve((_request, response) => response.end('here'));
  expect((await get(clientOf({ allowed: 'localhost' }), `http://localhost:${port}/`)).body.toString()).toBe('here');
});

test('DNS cannot change its answer after the check: the connection uses the checked address', async () => {
  const { port } = await serve((_request, response) => response.writeHead(200, { Connection: 'close' }).end('checked'));
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  let asked = 0;
  const client = clientOf({ resolve: async () => answers[asked++] ?? [] });
  expect((await get(client, `http://rebinding.example:${port}/`)).body.toString()).toBe('checked');
  expect(asked).toBe(1);
  // The next connection resolves and checks again.
  expect(await failureOf(get(client, `http://rebinding.example:${port}/`))).toMatchObject({ kind: 'address_refused' });
  expect(asked).toBe(2);
});

test('the next of several addresses is tried if the first does not connect', async () => {
  const { port } = await serve((_request, response) => response.end('second'));
  const client = clientOf({ allowed: '127.0.0.0/8', resolve: async () => ['127.0.0.3', '127.0.0.1'] });
  expect((await get(client, `http://two.example:${port}/`)).body.toString()).toBe('second');
});
