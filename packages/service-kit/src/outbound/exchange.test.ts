import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { clientOf, closeAll, failureOf, get, never, serve, speak } from './testing/local-servers';

afterEach(closeAll);

describe('the signal ends a request', () => {
  test('that starts with an aborted signal, before anything is done', async () => {
    const client = clientOf({ resolve: async () => Promise.reject(new Error('asked')) });
    const sent = get(client, 'http://backend.example/', AbortSignal.abort());
    expect(await failureOf(sent)).toMatchObject({ kind: 'timed_out', progress: 'not_sent' });
  });

  test('while DNS hangs', async () => {
    const ender = new AbortController();
    const resolve = () => {
      setImmediate(() => ender.abort());
      return new Promise<string[]>(() => undefined);
    };
    const sent = get(clientOf({ resolve }), 'http://backend.example/', ender.signal);
    expect(await failureOf(sent)).toMatchObject({ kind: 'timed_out', progress: 'not_sent' });
  });

  test('while the server hangs', async () => {
    const ender = new AbortController();
    const { port, connections } = await serve(() => ender.abort());
    const sent = get(clientOf(), `http://127.0.0.1:${port}/`, ender.signal);
    expect(await failureOf(sent)).toMatchObject({ kind: 'timed_out', progress: 'sent', mayHaveReached: true });
    for (const socket of connections) await once(socket, 'close');
  });

  test('while the response arrives slowly', async () => {
    const ender = new AbortController();
    const { port } = await serve((_request, response) => {
      const drip = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(drip));
      setTimeout(() => ender.abort(), 30);
    });
    const sent = get(clientOf(), `http://127.0.0.1:${port}/`, ender.signal);
    expect(await failureOf(sent)).toMatchObject({ kind: 'timed_out', progress: 'answering' });
  });

  test('while it waits for a connection', async () => {
    const { port } = await serve(() => undefined);
    const client = clientOf();
    const others = new AbortController();
    const taken = Array.from({ length: 4 }, () => failureOf(get(client, `http://127.0.0.1:${port}/`, others.signal)));
    const ender = new AbortController();
    const sent = get(client, `http://127.0.0.1:${port}/`, ender.signal);
    ender.abort();
    expect(await failureOf(sent)).toMatchObject({ kind: 'timed_out', progress: 'not_sent' });
    others.abort();
    await Promise.all(taken);
  });
});

describe('a response is rejected', () => {
  const large = 10 * 1_048_576;
  test('that declares a length beyond the limit, without being read', async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': large }).write('x');
    });
    const failure = await failureOf(get(clientOf(), `http://127.0.0.1:${port}/`));
    expect(failure).toMatchObject({ kind: 'answer_too_large', progress: 'answering' });
  });

  test('that exceeds the limit while it is read', async () => {
    let written = 0;
    const { port } = await serve((_request, response) => {
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        while (written < large && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return response.once('drain', more);
        }
        return response.end();
      };
      more();
    });
    const failure = await failureOf(get(clientOf(), `http://127.0.0.1:${port}/`));
    expect(failure).toMatchObject({ kind: 'answer_too_large' });
    expect(written).toBeLessThan(large);
  });

  test('one byte beyond the limit, but not at it', async () => {
    const { port } = await serve((request, response) => {
      for (let count = Number(request.url?.slice(1)); count > 0; count -= 1) response.write('x');
      response.end();
    });
    const client = clientOf({ maximumAnswerBytes: 100 });
    expect((await get(client, `http://127.0.0.1:${port}/100`)).body).toEqual(Buffer.alloc(100, 'x'));
    expect(await failureOf(get(client, `http://127.0.0.1:${port}/101`))).toMatchObject({ kind: 'answer_too_large' });
  });

  test.each([
    ['whose header is too large', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 'answer_too_large'],
    ['that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'broken_answer'],
    ['with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 'broken_answer'],
    ['that ends within its header', 'HTTP/1.1 200 OK\r\nContent-', 'unreachable'],
    ['that ends within its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', 'broken_answer'],
    ['that ends between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n', 'broken_answer'],
    ['that changes the protocol', 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'unreachable'],
  ])('%s', async (_which, bytes, kind) => {
    const { port } = await speak((socket) => socket.end(bytes));
    const failure = await failureOf(get(clientOf(), `http://127.0.0.1:${port}/`));
    expect(failure).toMatchObject({ kind, mayHaveReached: true });
  });

  test.each([
    ['in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', 'broken_answer', 'answering'],
    ['before it', '', 'unreachable', 'sent'],
  ])('whose connection is reset %s', async (_where, bytes, kind, progress) => {
    const { port } = await speak((socket) => {
      if (bytes === '') socket.resetAndDestroy();
      else socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 20));
    });
    expect(await failureOf(get(clientOf(), `http://127.0.0.1:${port}/`))).toMatchObject({ kind, progress });
  });
});

test("a refused connection is unreachable and not sent, and has the system's error code but not the address", async () => {
  const server = createTcpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const failure = await failureOf(get(clientOf(), `http://127.0.0.1:${port}/`));
  expect(failure).toMatchObject({ kind: 'unreachable', progress: 'not_sent', reason: 'ECONNREFUSED' });
  expect(failure.message).toBe('the server could not be reached (ECONNREFUSED)');
});

test.each([
  ['has no address', async () => []],
  ['cannot be resolved', async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }))],
])('a host that %s is unreachable', async (_why, resolve) => {
  const failure = await failureOf(get(clientOf({ resolve }), 'http://backend.example/'));
  expect(failure).toMatchObject({ kind: 'unreachable', progress: 'not_sent' });
});

test('a failed TLS handshake is unreachable and not sent', async () => {
  const { port } = await speak((socket) => socket.end('no TLS'));
  const sent = clientOf().send({ method: 'GET', url: `https://127.0.0.1:${port}/` }, { signal: never });
  expect(await failureOf(sent)).toMatchObject({ kind: 'unreachable', progress: 'not_sent' });
});

describe('connections', () => {
  test('are kept, and never exceed the limit', async () => {
    let most = 0;
    const server = await serve((_request, response) => {
      most = Math.max(most, server.connections.size);
      setTimeout(() => response.end(), 5);
    });
    const client = clientOf();
    await Promise.all(Array.from({ length: 20 }, () => get(client, `http://127.0.0.1:${server.port}/`)));
    expect(most).toBe(4);
  });

  test('closed by the server while idle are not reused', async () => {
    const { port, connections } = await serve((_request, response) => response.end('here'));
    const client = clientOf();
    await get(client, `http://127.0.0.1:${port}/`);
    for (const socket of connections) {
      socket.end();
      await once(socket, 'close');
    }
    expect((await get(client, `http://127.0.0.1:${port}/`)).body.toString()).toBe('here');
  });

  test('kept ones that break during the next request are distinguished from others', async () => {
    let calls = 0;
    const { port } = await serve((request, response) => {
      calls += 1;
      if (calls === 1) response.end();
      else request.socket.resetAndDestroy();
    });
    const client = clientOf();
    await get(client, `http://127.0.0.1:${port}/`);
    const failure = await failureOf(get(client, `http://127.0.0.1:${port}/`));
    expect(failure).toMatchObject({ kind: 'unreachable', progress: 'sent_on_kept_connection', mayHaveReached: true });
  });

  test('kept ones that break within a response header are not, because the server has acted', async () => {
    const { port } = await speak((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-'));
    });
    const client = clientOf();
    await get(client, `http://127.0.0.1:${port}/`);
    const failure = await failureOf(get(client, `http://127.0.0.1:${port}/`));
    expect(failure).toMatchObject({ kind: 'unreachable', progress: 'sent' });
  });

  test('a request with its own connection neither reuses nor leaves one', async () => {
    const { port, connections } = await serve((request, response) => response.end(request.headers.connection));
    const client = clientOf();
    const url = `http://127.0.0.1:${port}/`;
    await get(client, url);
    const options = { signal: never, httpAllowed: true, ownConnection: true };
    expect((await client.send({ method: 'GET', url }, options)).body.toString()).toBe('close');
    expect((await get(client, url)).body.toString()).toBe('keep-alive');
    expect(connections.size).toBe(1);
  });
});
