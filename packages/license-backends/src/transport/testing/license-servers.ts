import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const closers: (() => Promise<unknown>)[] = [];

/** Closes everything that a test opened; for `afterEach`. */
export async function closeServers(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()));
}

/** Starts a license server on loopback. */
export async function licenseServer(listener: RequestListener): Promise<{ url: string; connections: Set<Socket> }> {
  const connections = new Set<Socket>();
  const server = createServer(listener).on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/license`, connections };
}
