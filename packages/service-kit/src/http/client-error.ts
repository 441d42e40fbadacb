import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { invalidRequest, Problem, problemDocument } from '@multi-drm/contracts';

/** Answers a request that Node's HTTP parser rejected. Such a request reaches no route and no middleware. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // A reset connection cannot be written to.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error.code);
  const requestId = randomUUID();
  const body = JSON.stringify(problemDocument(problem, { requestId, instance: '/' }));
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\nCache-Control: no-store\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('request_too_large', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return invalidRequest({ request: ['was not received in time'] });
  return invalidRequest({ request: ['is not valid HTTP/1.1'] });
}
