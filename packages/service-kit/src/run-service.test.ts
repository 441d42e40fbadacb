import { once } from 'node:events';
import { Agent, createServer as createHttpServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@multi-drm/test-kit';
import { ServiceProcess } from './testing/service-process';

const started: ServiceProcess[] = [];

function start(environment: Record<string, string> = {}): ServiceProcess {
  const service = new ServiceProcess(environment);
  started.push(service);
  return service;
}

afterEach(async () => {
  for (const service of started.splice(0)) {
    service.signal('SIGKILL');
    await service.exitCode();
  }
});

interface Answer {
  status: number | undefined;
  connection: string | undefined;
  text: string;
}

async function call(url: string, agent?: Agent): Promise<Answer> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, connection: response.headers.connection, text };
}

/** Calls until a response is the last on its connection, like a client that then goes elsewhere. */
async function callUntilTurnedAway(url: string): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: Answer[] = [];
  do answers.push(await call(url, agent));
  while (answers.at(-1)?.connection !== 'close');
  agent.destroy();
  return answers;
}

/** Resolves when the server no longer accepts connections. */
async function refused(url: string): Promise<void> {
  for (;;) {
    try {
      await call(url);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return;
    }
  }
}

test('SIGTERM under load fails no request, and the process exits with 0', async () => {
  const service = start({ SHUTDOWN_DELAY: '1000' });
  const url = await service.url();
  expect((await call(`${url}/ready`)).status).toBe(200);

  const slow = call(`${url}/slow`, new Agent({ keepAlive: true }));
  await service.entry('slow request in flight');
  const clients = Array.from({ length: 20 }, () => callUntilTurnedAway(`${url}/timeouts`));
  await call(`${url}/timeouts`);
  service.signal('SIGTERM');
  await service.entry('shutting down');

  expect((await call(`${url}/ready`)).status).toBe(503);
  service.signal('SIGUSR2');
  expect(await slow).toEqual({ status: 200, connection: 'close', text: 'done' });
  for (const answers of await Promise.all(clients)) {
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }
  expect(await service.exitCode()).toBe(0);
  expect(service.entries.map(({ message }) => message)).toEqual([
    'listening',
    'slow request in flight',
    'shutting down',
    'slow request ended',
    'closed',
    'closed',
    'stopped',
  ]);
  expect(service.stderr).toBe('');
});

test('a process whose log readers disappear one after the other keeps answering, and stops cleanly', async () => {
  const service = start();
  const url = await service.url();
  const callsAreAnswered = async () => {
    for (let calls = 0; calls < 3; calls += 1) expect((await call(`${url}/logged`)).text).toBe('logged');
  };
  service.closeReader('stdout');
  await callsAreAnswered();
  // Reported once, on the remaining stream.
  while (!service.stderr.includes('is no longer read')) await callsAreAnswered();
  const reported = service.stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(reported.map((line) => JSON.parse(line))).toEqual([
    { level: 'warn', message: 'standard output is no longer read', code: 'EPIPE' },
  ]);
  service.closeReader('stderr');
  await callsAreAnswered();
  service.signal('SIGTERM');
  expect(await service.exitCode()).toBe(0);
});

test.each([
  ['/slow', 'close'],
  ['/slow?begun', 'keep-alive'], // its headers had been sent before the signal
])('%s is answered after the server has closed, and its connection ends', async (path, connection) => {
  const service = start();
  const url = await service.url();
  const slow = call(`${url}${path}`, new Agent({ keepAlive: true }));
  await service.entry('slow request in flight');
  service.signal('SIGTERM');
  await refused(`${url}/ready`);
  service.signal('SIGUSR2');
  expect(await slow).toEqual({ status: 200, connection, text: expect.stringMatching(/done$/) });
  expect(await service.exitCode()).toBe(0);
});

test('a request that outlasts the grace period is aborted, and the process exits with 1', async () => {
  const service = start({ SHUTDOWN_GRACE: '1' });
  const slow = call(`${await service.url()}/slow`);
  slow.catch(() => undefined);
  await service.entry('slow request in flight');
  service.signal('SIGTERM');
  await expect(slow).rejects.toThrow();
  expect(await service.exitCode()).toBe(1);
  expect(service.entries.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'requests in flight were cut off at the end of the grace period',
      'slow request ended',
      'closed',
      'stopped',
    ]),
  );
});

test('without a host, the service and its metrics listen on every address', async () => {
  const metricsPort = await findFreePort();
  const service = start({ HOST: 'all', METRICS_PORT: String(metricsPort) });
  const { host, port } = await service.entry('listening');
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );
  expect(host).toBe(hasIpv6 ? '::' : '0.0.0.0');
  for (const address of ['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])]) {
    expect((await call(`http://${address}:${port}/ready`)).status).toBe(200);
    expect((await call(`http://${address}:${metricsPort}/metrics`)).status).toBe(200);
  }
});

test('a second signal changes nothing', async () => {
  const service = start({ SHUTDOWN_DELAY: '1000' });
  await service.url();
  service.signal('SIGINT');
  await service.entry('shutting down');
  service.signal('SIGINT');
  service.signal('SIGTERM');
  expect(await service.exitCode()).toBe(0);
  expect(service.entries.filter(({ message }) => message === 'shutting down')).toEqual([
    expect.objectContaining({ signal: 'SIGINT' }),
  ]);
});

test.each([
  ['fails', 'failing', 'closing failed'],
  ['hangs', 'hanging', 'some resources were not closed cleanly'],
])('a closer that %s is logged, and the process exits with 1', async (_how, CLOSER, message) => {
  const service = start({ CLOSER, SHUTDOWN_GRACE: '200' });
  await service.url();
  service.signal('SIGTERM');
  expect(await service.exitCode()).toBe(1);
  await service.entry(message);
  if (CLOSER === 'failing') await service.entry('closed'); // the next closer still runs
});

test('a busy port is logged in one line, and the process exits with 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const service = start({ PORT: String(port) });
  expect(await service.exitCode()).toBe(1);
  expect(service.entries).toEqual([
    expect.objectContaining({
      level: 'error',
      message: 'start failed',
      error: expect.objectContaining({ message: `port ${port} of 127.0.0.1 is in use by another process` }),
    }),
  ]);
  expect(service.stderr).toBe('');
  other.close();
});

test('a refused connection is logged; an uncaught error ends the process with 1', async () => {
  const service = start();
  const url = await service.url();
  expect((await call(`${url}/refused-connection`)).status).toBe(200);
  expect(await service.entry('a connection could not be accepted')).toMatchObject({ level: 'warn' });
  await expect(call(`${url}/crash`)).rejects.toThrow();
  expect(await service.exitCode()).toBe(1);
  expect(service.entries.at(-1)).toMatchObject({
    level: 'error',
    message: 'uncaught exception',
    error: { message: 'uncaught' },
  });
  expect(service.stderr).toBe('');
});

describe('a misbehaving caller', () => {
  /** Returns what a server answers to these bytes before it closes the connection. */
  async function say(url: string, text: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined); // a server that closes before it has read everything resets the connection
    socket.write(text);
    let answer = '';
    socket.on('data', (part) => {
      answer += part.toString();
    });
    await once(socket, 'close');
    return answer;
  }

  test('is limited in time for each part of a request', async () => {
    const service = start({ KEEP_ALIVE_SECONDS: '125' });
    const { text } = await call(`${await service.url()}/timeouts`);
    expect(JSON.parse(text)).toEqual({ headers: 10_000, request: 30_000, keepAlive: 125_000 });
  });

  // The basis of the limits above: Node counts them from the first byte of each request.
  test('is limited within requests, not between them', async () => {
    const bounds = {
      headersTimeout: 500,
      requestTimeout: 500,
      keepAliveTimeout: 60_000,
      connectionsCheckingInterval: 10,
    };
    const server = createHttpServer(bounds, (_request, response) => response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await call(url, agent);
    await delay(800); // longer than a request may take, with many checks of connections
    await call(url, agent);
    expect(connections).toBe(1);
    agent.destroy();
    server.close();
  });

  test('cannot crash the process with something other than HTTP, or too much of it', async () => {
    const service = start();
    const url = await service.url();
    const flood = `GET /ready HTTP/1.1\r\nHost: a\r\n${'X-Flood: 0123456789\r\n'.repeat(2_000)}\r\n`;
    expect(await say(url, flood)).toMatch(/^HTTP\/1.1 413 /);
    expect(await say(url, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(/^HTTP\/1.1 413 /);
    expect(await say(url, 'hello there\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect(
      await say(url, 'GET /ready HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ).toMatch(/^HTTP\/1.1 400 /);
    expect((await call(`${url}/ready`)).status).toBe(200);
    expect(service.entries).toHaveLength(1);
    expect(service.stderr).toBe('');
  });
});
