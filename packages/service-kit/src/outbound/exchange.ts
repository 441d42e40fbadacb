import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BodyBuffer } from './body-buffer';
import { failureOf, OutboundFailure, type RequestProgress } from './outbound-failure';

/** What a server answered. Header names are lower case; equal ones are joined by a comma. */
export interface OutboundAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

interface ExchangeOptions {
  body: Buffer | undefined;
  maximumAnswerBytes: number;
  signal: AbortSignal;
}

/** Sends a request that is not yet ended and reads its answer whole. Throws `OutboundFailure`. */
export function exchange(request: ClientRequest, options: ExchangeOptions): Promise<OutboundAnswer> {
  const { body, maximumAnswerBytes, signal } = options;
  let progress: RequestProgress = 'not_sent';
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      signal.removeEventListener('abort', timeOut);
      return true;
    };
    const fail = (error?: unknown): void => {
      if (!settle()) return;
      reject(failureOf(error, progress));
      request.destroy();
    };
    const timeOut = (): void => fail(new OutboundFailure('timed_out', progress));
    const receive = (response: IncomingMessage): void => {
      progress = 'answering';
      const received = new BodyBuffer(maximumAnswerBytes);
      const tooLarge = () => fail(new OutboundFailure('answer_too_large', progress));
      response.on('error', fail);
      response.on('close', fail);
      if (Number(response.headers['content-length']) > maximumAnswerBytes) tooLarge();
      // None was asked for (RFC 9110, section 12.5.3), and passed on as it is nobody could read it.
      if ((response.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
        fail(new OutboundFailure('broken_answer', progress));
      }
      response.on('data', (chunk: Buffer) => {
        if (!received.append(chunk)) tooLarge();
      });
      response.on('end', () => {
        if (!response.complete || !settle()) return; // 'close' follows
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers: joined(headers), body: received.content() });
      });
    };

    signal.addEventListener('abort', timeOut);
    request.on('error', fail);
    request.on('socket', (socket) => {
      onceWritten(request, socket, (kept) => {
        if (progress === 'not_sent') progress = kept ? 'sent_on_kept_connection' : 'sent';
      });
    });
    request.on('response', receive);
    request.on('close', () => {
      // With an answer, its own end decides: it may still have bytes to give.
      if (progress !== 'answering') fail();
    });
    request.end(body);
  });
}

/** Calls back when the request leaves: at once on a kept connection, else when TCP and TLS stand. */
function onceWritten(request: ClientRequest, socket: Socket, written: (kept: boolean) => void): void {
  if (request.reusedSocket || !socket.connecting) written(true);
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => written(false));
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => [name, String(value)] as const);
  return Object.fromEntries(entries);
}
