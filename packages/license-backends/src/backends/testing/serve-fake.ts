import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { licenseServer } from '../../transport/testing/license-servers';
import type { BackendRequest } from '../license-backend';
import { answerOf, type FakeServer } from './exchange';

export interface ServedFake {
  /** What the backend's settings name in the place of the fake's own URL. */
  url: string;
  /** What the fake found wrong with a request. */
  faults: unknown[];
  /** How many requests came. */
  requests(): number;
}

/**
 * A fake license server behind HTTP on loopback; it ends with `closeServers`. `resets` may take a request's connection
 * down in the place of an answer: the fake does not see such a request.
 */
export async function serveFake(
  fake: FakeServer,
  ownUrl: string,
  resets: (message: IncomingMessage) => boolean = () => false,
): Promise<ServedFake> {
  const { origin, pathname, search } = new URL(ownUrl);
  const faults: unknown[] = [];
  let requests = 0;
  const answerTo = async (message: IncomingMessage) => {
    requests += 1;
    try {
      return await fake(await requestFrom(message, origin));
    } catch (error) {
      faults.push(error);
      return answerOf(400, 'The fake license server does not take this request.');
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
  return { url: new URL(url).origin + pathname + search, faults, requests: () => requests };
}

/** Without what belongs to the connection alone, which is held to what it must be. */
async function requestFrom(message: IncomingMessage, origin: string): Promise<BackendRequest> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const { host, connection, ...headers } = message.headers;
  const { 'content-length': length, 'accept-encoding': encoding, ...others } = headers;
  assert.equal(message.method, 'POST');
  assert.match(host ?? '', /^127\.0\.0\.1:\d+$/);
  // A second try has a connection of its own.
  assert.match(connection ?? '', /^(keep-alive|close)$/);
  assert.equal(length, String(body.length));
  assert.equal(encoding, 'identity');
  const single = Object.entries(others).map(([name, value]) => [name, String(value)]);
  return { url: origin + message.url, headers: Object.fromEntries(single), body };
}
