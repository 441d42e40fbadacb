import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { assertPortIsFree, assertReachable, findFreePort, localHost } from './ports';

let server: Server | undefined;
afterEach(async () => {
  if (server !== undefined) await new Promise((resolve) => server?.close(resolve));
  server = undefined;
});

async function listen(host: string): Promise<number> {
  server = createServer().listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test.each([localHost, '0.0.0.0', '::'])(
  'a port in use on %s is rejected with its number and variable',
  async (host) => {
    const port = await listen(host);
    await expect(assertPortIsFree(port, 'PLAYBACK_PORT')).rejects.toThrow(
      new RegExp(`^Port ${port} is in use by another program\\..*PLAYBACK_PORT=`),
    );
  },
);

test('a free port is recognized as free', async () => {
  await expect(assertPortIsFree(await findFreePort(), 'PLAYBACK_PORT')).resolves.toBeUndefined();
});

test('a free port is none that the system may assign to a connection before it is used', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, findFreePort));
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test('a running server is recognized as reachable', async () => {
  const port = await listen(localHost);
  await expect(assertReachable(`redis://:secret@${localHost}:${port}`, 'REDIS_URL', 6379)).resolves.toBeUndefined();
});

test('an unreachable server is reported with its variable and address, without its password', async () => {
  const port = await findFreePort();
  await expect(assertReachable(`redis://:secret@${localHost}:${port}`, 'REDIS_URL', 6379)).rejects.toThrow(
    `REDIS_URL: ${localHost}:${port} cannot be reached (ECONNREFUSED).`,
  );
});
