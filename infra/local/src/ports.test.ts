import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { assertPortIsFree, findFreePort, localHost } from './ports';

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
  'a port in use on %s is refused by its number and its variable',
  async (host) => {
    const port = await listen(host);
    await expect(assertPortIsFree(port, 'PLAYBACK_PORT')).rejects.toThrow(
      new RegExp(`^Port ${port} is in use by another program\\..*PLAYBACK_PORT=`),
    );
  },
);

test('a free port is found free', async () => {
  await expect(assertPortIsFree(await findFreePort(), 'PLAYBACK_PORT')).resolves.toBeUndefined();
});
