import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { licenseServer } from '../../transport/testing/license-servers';
import type { BackendRequest } from '../license-backend';
import { answerOf, type FakeServer } from './exchange';

export interface ServedFake {
  /** Replaces the fake's own URL in the backend's settings. */
  url: string;
  /** The errors that the fake found in requests. */
  errors: unknown[];
  /** The number of requests received. */
  requests(): number;
}

/**
 * Serves a fake license server over HTTP on loopback until `closeServers`. `resets` may reset a request's connection
 * instead of answering; the fake does not see such a request.
 */
export async function serveFake(
  fake: FakeServer,
  ownUrl: string,
  resets: (message: IncomingMessage) => boolean = () => false,
): Promise<ServedFake> {
  const { origin, pathname, search } = new URL(ownUrl);
  const errors: unknown[] = [];
  let requests = 0;
  const answerTo = async (message: IncomingMessage) => {
    requests += 1;
    try {
      return await fake(await requestFrom(message, origin));
    } catch (error) {
      errors.push(error);
      return answerOf(400, 'The fake license server does not accept this request.');
    }
  };
  const { url } = await licenseServer(async (message, response) => {
    if (resets(message)) {
      message.socket.resetAndDestroy();
      return;
    }
    const { status, headers, body } = await answerTo(message);
    response.writeHead(status, headers).end(body);
  });
  return { url: new URL(url).origin + pathname + search, errors, requests: () => requests };
}

/** Converts a message to a request. Checks and removes the headers that belong to the connection. */
async function requestFrom(message: IncomingMessage, origin: string): Promise<BackendRequest> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const { host, connection, ...headers } = message.headers;
  const { 'content-length': length, 'accept-encoding': encoding, ...others } = headers;
  assert.equal(message.method, 'POST');
  assert.match(host ?? '', /^127\.0\.0\.1:\d+$/);
  // A second attempt uses its own connection.
  assert.match(connection ?? '', /^(keep-alive|close)$/);
  assert.equal(length, String(body.length));
  assert.equal(encoding, 'identity');
  const single = Object.entries(others).map(([name, value]) => [name, String(value)]);
  return { url: origin + message.url, headers: Object.fromEntries(single), body };
}
