import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { invalidRequest, Problem, problemDocument } from '@multi-drm/contracts';

/** Milliseconds for a caller to read its answer and close the connection. */
const defaultLinger = 2_000;

interface ClientErrorOptions {
  /** Members added to every problem document of the service. */
  members?: Record<string, unknown>;
  /** Milliseconds for a caller to close its side. */
  linger?: number;
}

/**
 * Returns a listener for `clientError` that answers requests which Node's HTTP parser rejected, or which did not arrive in
 * time. Such a request reaches no route, or its route cannot answer it.
 */
export function answerClientError({ members = {}, linger = defaultLinger }: ClientErrorOptions = {}) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // A reset connection cannot be written to.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = problemOf(error.code);
    const requestId = randomUUID();
    const body = JSON.stringify({ ...problemDocument(problem, { requestId, instance: '/' }), ...members });
    const headers = Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\nCache-Control: no-store\r\n` +
        `X-Request-Id: ${requestId}\r\n${headers.join('')}Content-Type: application/problem+json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    // A caller that never closes its side would keep the descriptor. Closing at once could reset the connection before the
    // answer is read.
    setTimeout(() => socket.destroy(), linger).unref();
  };
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('request_too_large', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout', 'The request did not arrive in time.');
  return invalidRequest({ request: ['is not valid HTTP/1.1'] });
}
