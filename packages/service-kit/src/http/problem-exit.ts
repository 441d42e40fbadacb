import { isNativeError } from 'node:util/types';
import { invalidRequest, Problem, problemDocument } from '@multi-drm/contracts';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from '../logger';
import { contextOf } from './request-context';

interface ProblemExitOptions {
  logger: Logger;
  /** Members of every problem document of the service. */
  members?: Record<string, unknown>;
  /** Recognises errors of the service's own dependencies, such as a data store out of reach. */
  toProblem?(error: unknown): Problem | undefined;
  /** The `WWW-Authenticate` of a 401 (RFC 9110, section 11.6.1). Default: Bearer. */
  challenge?(problem: Problem, request: Request): string;
  /** Milliseconds. */
  now?: () => number;
}

/** What Express says of a path that cannot be decoded. Other URIErrors are the service's own. */
function malformedPath(error: unknown): Problem | undefined {
  return error instanceof URIError && 'status' in error && error.status === 400
    ? invalidRequest({ path: ['is not valid percent-encoding'] })
    : undefined;
}

/** The one exit of errors: a `Problem` is answered as it is; anything else is logged once and becomes `internal_error`. */
export function problemExit({
  logger,
  members = {},
  toProblem,
  challenge = (_problem, request) => bearerChallenge('api', request),
  now = Date.now,
}: ProblemExitOptions): ErrorRequestHandler {
  const warn = throttledWarn(logger, now);
  return (error, request, response, _next) => {
    const problem = error instanceof Problem ? error : (malformedPath(error) ?? toProblem?.(error) ?? internalError());
    const context = contextOf(response);
    const { requestId, route } = context;
    context.code = problem.code;
    if (problem.code === 'internal_error') logger.error('request failed', { requestId, route, error });
    // What made the service unavailable is worth a line; a refusal that it decided on is not.
    else if (problem.status >= 500 && (problem !== error || problem.cause !== undefined)) {
      warn(problem.code, { requestId, route, error });
    }
    // The caller's fault needs nobody to act, but whoever looks for it finds what it rests on.
    else if (problem.cause !== undefined) {
      logger.info('request refused', { requestId, route, code: problem.code, cause: messageOf(problem.cause) });
    }
    if (response.headersSent) {
      response.destroy(); // the answer cannot be mended any more: the caller must not take it for whole
      return;
    }
    // The path without its query, which may hold personal data.
    const instance = request.originalUrl.split('?', 1)[0] ?? '/';
    if (problem.status === 401) response.set('WWW-Authenticate', challenge(problem, request));
    withoutCharset(response)
      .status(problem.status)
      .set(problem.headers)
      .type('application/problem+json')
      .json({ ...problemDocument(problem, { requestId, instance }), ...members });
  };
}

/**
 * Has a response send its text as bytes, to whose media type Express adds no `charset`: JSON knows no such parameter
 * (RFC 8259, section 11), and there are clients that compare the media type with its parameters.
 */
function withoutCharset(response: Response): Response {
  const send = response.send.bind(response);
  response.send = (body) => send(typeof body === 'string' ? Buffer.from(body, 'utf8') : body);
  return response;
}

/** The challenge of a route that takes a bearer token. It names an error only where one was sent (RFC 6750, section 3). */
export function bearerChallenge(realm: string, request: Request): string {
  const sent = /^Bearer(?: |$)/i.test(request.get('Authorization') ?? '');
  return `Bearer realm="${realm}"${sent ? ', error="invalid_token"' : ''}`;
}

function messageOf(cause: unknown): string {
  return isNativeError(cause) ? cause.message : typeof cause;
}

/** How far apart the warnings of one code lie at least, in milliseconds: an outage must not fill the disk. */
const warningInterval = 10_000;

/** Warns of the first failure of a code, then of one each interval, with the number of those in between. */
function throttledWarn(logger: Logger, now: () => number) {
  const last = new Map<string, { at: number; unsaid: number }>();
  return (code: string, fields: Record<string, unknown>): void => {
    const before = last.get(code);
    if (before !== undefined && now() - before.at < warningInterval) {
      before.unsaid += 1;
      return;
    }
    last.set(code, { at: now(), unsaid: 0 });
    logger.warn('request failed', { ...fields, ...(before?.unsaid ? { alsoFailed: before.unsaid } : {}) });
  };
}

function internalError(): Problem {
  return new Problem('internal_error', 'The request failed through no fault of yours; quote the request id.');
}
