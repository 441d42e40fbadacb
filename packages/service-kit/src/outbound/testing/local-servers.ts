import { once, setMaxListeners } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { AddressGuard } from '../address-guard';
import { parseAllowList } from '../allow-list';
import { OutboundFailure } from '../outbound-failure';
import { OutboundClient } from '../outbound-request';

const closers: (() => Promise<unknown>)[] = [];

/** Closes what a test opened; for `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()));
}

/** Listens on loopback; its connections end with the test. */
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

/** An HTTP server. */
export const serve = (listener: RequestListener) => listen(createHttpServer(listener));
/** Speaks raw bytes after the request's header came. */
export const speak = (answer: (socket: Socket) => void) =>
  listen(createTcpServer((socket) => socket.once('data', () => answer(socket))));

interface Setup {
  allowed?: string;
  resolve?: (hostname: string) => Promise<string[]>;
  maximumAnswerBytes?: number;
}
/** A client of four connections that may go to loopback. */
export function clientOf({ allowed = '127.0.0.1', ...others }: Setup = {}): OutboundClient {
  const guard = new AddressGuard(parseAllowList(allowed).allowed);
  const client = new OutboundClient({ guard, maximumConnections: 4, ...others });
  closers.push(async () => client.close());
  return client;
}

/** Lets a request take as long as it likes. */
export const never = new AbortController().signal;
setMaxListeners(0, never);
/** A GET, http allowed. */
export const get = (client: OutboundClient, url: string, signal = never) =>
  client.send({ method: 'GET', url }, { signal, httpAllowed: true });

/** Why a request has no answer; throws where it has one. */
export async function failureOf(sent: Promise<unknown>): Promise<OutboundFailure> {
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof OutboundFailure) return error;
  throw error ?? new Error('there was an answer');
}
