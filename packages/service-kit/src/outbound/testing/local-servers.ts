import { once, setMaxListeners } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { AddressGuard } from '../address-guard';
import { parseAllowList } from '../allow-list';
import { OutboundFailure } from '../outbound-failure';
import { OutboundClient } from '../outbound-request';

const closers: (() => Promise<unknown>)[] = [];

/** Closes everything that a test opened; for `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()));
}

/** Listens on loopback; connections are closed with the test. */
async function listen(server: Server, host = '127.0.0.1'): Promise<{ port: number; connections: Set<Socket> }> {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket.on('error', () => undefined));
    socket.on('close', () => connections.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of connections) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, connections };
}

/** Starts an HTTP server. */
export const serve = (listener: RequestListener) => listen(createHttpServer(listener));
/** Starts a server that sends raw bytes once a request header has arrived. */
export const speak = (answer: (socket: Socket) => void) =>
  listen(createTcpServer((socket) => socket.once('data', () => answer(socket))));

interface Setup {
  allowed?: string;
  resolve?: (hostname: string) => Promise<string[]>;
  maximumAnswerBytes?: number;
}
/** Creates a client with four connections that may reach loopback. */
export function clientOf({ allowed = '127.0.0.1', ...others }: Setup = {}): OutboundClient {
  const guard = new AddressGuard(parseAllowList(allowed).allowed);
  const client = new OutboundClient({ guard, maximumConnections: 4, ...others });
  closers.push(async () => client.close());
  return client;
}

/** A signal that never aborts. */
export const never = new AbortController().signal;
setMaxListeners(0, never);
/** Sends a GET with http allowed. */
export const get = (client: OutboundClient, url: string, signal = never) =>
  client.send({ method: 'GET', url }, { signal, httpAllowed: true });

/** Returns why a request has no response; throws if it has one. */
export async function failureOf(sent: Promise<unknown>): Promise<OutboundFailure> {
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof OutboundFailure) return error;
  throw error ?? new Error('there was a response');
}
