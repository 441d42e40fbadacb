import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BodyBuffer } from './body-buffer';
import { decodeContent } from './content-coding';
import { failureOf, OutboundFailure, type RequestProgress } from './outbound-failure';

/**
 * A server's response. Header names are in lower case; repeated headers are joined by commas. The body is decoded: if
 * it came in a content coding, the headers that describe the coded body are removed.
 */
export interface OutboundAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

interface ExchangeOptions {
  body: Buffer | undefined;
  /** Maximum size, both of the body as received and of the decoded body. */
  maximumAnswerBytes: number;
  signal: AbortSignal;
}

/** Sends a request that has not been ended and reads the whole response. Throws `OutboundFailure`. */
export async function exchange(request: ClientRequest, options: ExchangeOptions): Promise<OutboundAnswer> {
  const { status, headers, body } = await exchangeBytes(request, options);
  const { 'content-encoding': coding, ...others } = headers;
  if (coding === undefined) return { status, headers, body };
  const decoded = await decodeContent(body, coding, options.maximumAnswerBytes);
  if (decoded === 'unknown_coding') throw new OutboundFailure('unknown_coding', 'answering');
  if (decoded === 'too_large') throw new OutboundFailure('answer_too_large', 'answering');
  if (decoded === 'broken') throw new OutboundFailure('broken_answer', 'answering');
  delete others['content-length'];
  return { status, headers: others, body: decoded };
}

function exchangeBytes(request: ClientRequest, options: ExchangeOptions): Promise<OutboundAnswer> {
  const { body, maximumAnswerBytes, signal } = options;
  let progress: RequestProgress = 'not_sent';
  let hasAnswered = (): boolean => false;
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
      reject(failureOf(error, progress === 'sent_on_kept_connection' && hasAnswered() ? 'sent' : progress));
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
      const readBefore = socket.bytesRead;
      hasAnswered = () => socket.bytesRead > readBefore;
      onceWritten(request, socket, (kept) => {
        if (progress === 'not_sent') progress = kept ? 'sent_on_kept_connection' : 'sent';
      });
    });
    request.on('response', receive);
    request.on('close', () => {
      // Once a response has begun, its own end decides: it may still have bytes to deliver.
      if (progress !== 'answering') fail();
    });
    request.end(body);
  });
}

/** Calls back when the request is sent: at once on a kept connection, otherwise when TCP and TLS are established. */
function onceWritten(request: ClientRequest, socket: Socket, written: (kept: boolean) => void): void {
  if (request.reusedSocket || !socket.connecting) written(true);
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => written(false));
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => [name, String(value)] as const);
  return Object.fromEntries(entries);
}
