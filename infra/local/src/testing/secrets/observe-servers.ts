import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentName, keep, rememberSecrets } from './kept-files';
import { secretsOfAnswer, secretsOfHeaders, secretsOfRequest } from './secret-kinds';

/** Node tells of each request that any HTTP server of the process receives. */
const channel = 'http.server.request.start';

/**
 * Remembers the secrets in every call that a server of this process receives, and in its answer, and keeps the problems that
 * it answers with. Returns what ends this.
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
  // On this one object, so that nobody else reads the stream: it would begin to flow before its reader is there.
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
