import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { findFreePort } from '@multi-drm/test-kit';
import { limitConnections, maximumConnections } from './connection-limit';
import { createLogger } from './logger';
import { Metrics } from './metrics';
import { ServiceProcess } from './testing/service-process';

test.each([
  [20_000, 15_000],
  [1_024, 768],
  [256, 156],
  [101, 1],
  [64, 1],
])('of %i descriptors callers get %i', (descriptors, connections) => {
  expect(maximumConnections(descriptors)).toBe(connections);
});

test('the limit is read without a look-up of the names of open connections, which could take seconds', () => {
  let excludesNetwork: unknown;
  jest.spyOn(process.report, 'getReport').mockImplementation(() => {
    excludesNetwork = Reflect.get(process.report, 'excludeNetwork');
    return { userLimits: { open_files: { soft: 1_024 } } };
  });
  const server = createServer();
  const logger = createLogger({ service: 'test', level: 'info' });
  limitConnections(server, new Metrics(logger), logger);
  expect({ excludesNetwork, maximum: server.maxConnections }).toEqual({ excludesNetwork: true, maximum: 768 });
});

async function call(url: string, agent?: Agent): Promise<string> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  const answer = await text(response);
  expect({ answer, status: response.statusCode }).toMatchObject({ status: 200 });
  return answer;
}

test('callers cannot use up the descriptors of a process; further connections are closed, counted and logged', async () => {
  const metricsPort = await findFreePort();
  const service = new ServiceProcess({ METRICS_PORT: String(metricsPort) }, 160);
  const sockets: Socket[] = [];
  try {
    const url = await service.url();
    const agent = new Agent({ keepAlive: true });
    await call(`${url}/open-file`, agent);
    for (let count = 0; count < 200; count += 1) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket.resume());
      await once(socket, 'connect');
    }
    await once(sockets.at(-1) as Socket, 'close');
    expect(sockets.filter(({ closed }) => !closed)).toHaveLength(maximumConnections(160) - 1);
    // The process can still open what it needs, and answers those that are connected.
    await call(`${url}/open-file`, agent);
    agent.destroy();
    const dropped = 200 - maximumConnections(160) + 1;
    expect(await call(`http://127.0.0.1:${metricsPort}/metrics`)).toContain(
      `\nmulti_drm_http_connections_dropped_total ${dropped}\n`,
    );
    expect(service.entries.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({
        message: 'a connection was closed because there are too many',
        maximumConnections: maximumConnections(160),
        descriptors: 160,
      }),
    ]);
  } finally {
    for (const socket of sockets) socket.destroy();
    service.signal('SIGKILL');
    await service.exitCode();
  }
});
