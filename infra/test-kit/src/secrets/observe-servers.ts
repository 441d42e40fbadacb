import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentName, keep, rememberSecrets } from './kept-files';
import { secretsOfAnswer, secretsOfHeaders, secretsOfRequest } from './secret-kinds';

/** Node publishes each request that any HTTP server of the process receives on this channel. */
const channel = 'http.server.request.start';

/**
 * Remembers the secrets in every request to a server of this process and in its response, and keeps its problems. Returns a function
 * that ends this.
 */
export function observeServers(): () => void {
  const observe = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url?.startsWith('/api/')) observeCall(request, response);
  };
  subscribe(channel, observe);
  return () => unsubscribe(channel, observe);
}

function observeCall(request: IncomingMessage, response: ServerResponse): void {
  rememberSecrets(secretsOfHeaders(request.rawHeaders));
  const [asked, answered]: [Buffer[], Buffer[]] = [[], []];
  // Observed through `push`, because reading the stream would make it flow before its actual reader is attached.
  const { push } = request;
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    add(asked, chunk);
    return push.call(request, chunk, encoding);
  };
  for (const method of ['write', 'end'] as const) {
    const original = response[method] as (...args: unknown[]) => unknown;
    const observed = (...args: unknown[]): unknown => {
      add(answered, args[0]);
      return original.apply(response, args);
    };
    Object.assign(response, { [method]: observed });
  }
  response.once('close', () => {
    const answer = Buffer.concat(answered);
    rememberSecrets([...secretsOfRequest(String(Buffer.concat(asked))), ...secretsOfAnswer(String(answer))]);
    if (response.statusCode >= 400) keep('problems', currentName(), Buffer.concat([answer, Buffer.from('\n')]));
  });
}

function add(parts: Buffer[], chunk: unknown): void {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) parts.push(Buffer.from(chunk as string));
}
