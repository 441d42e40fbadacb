import { isNativeError } from 'node:util/types';
import { Problem, problemDocument } from '@multi-drm/contracts';
import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from '../logger';
import { throttledWarnings } from '../throttled-warnings';
import { contextOf, type RequestContext } from './request-context';

interface ProblemExitOptions {
  logger: Logger;
  /** Members added to every problem document of the service. */
  members?: Record<string, unknown>;
  /** Recognizes errors of the service's own dependencies, such as an unreachable data store. */
  toProblem?(error: unknown): Problem | undefined;
  /** The `WWW-Authenticate` of a 401 (RFC 9110, section 11.6.1). Default: Bearer. */
  challenge?(problem: Problem, request: Request): string;
  /** The ids of what a refused request was about, for its log line; see `RequestContext.refused`. */
  refusedRecords?(request: Request, context: RequestContext): Record<string, string>;
  /** Milliseconds. */
  now?: () => number;
}

/**
 * The central error handler: a `Problem` is sent as it is; any other error is logged once and becomes `internal_error`.
 */
export function problemExit({
  logger,
  members = {},
  toProblem,
  challenge = (_problem, request) => bearerChallenge('api', request),
  refusedRecords = () => ({}),
  now = Date.now,
}: ProblemExitOptions): ErrorRequestHandler {
  const warn = throttledWarnings(logger, now);
  return (error, request, response, _next) => {
    const problem = error instanceof Problem ? error : (toProblem?.(error) ?? internalError());
    const context = contextOf(response);
    const { requestId, route } = context;
    context.code = problem.code;
    context.refused = refusedRecords(request, context);
    // Log what has failed, but not a refusal that the service decided on.
    const hasFailed = problem !== error || problem.cause !== undefined;
    if (hasFailed && problem.code === 'internal_error') logger.error('request failed', { requestId, route, error });
    else if (hasFailed && problem.status >= 500) warn(problem.code, 'request failed', { requestId, route, error });
    // Nobody has to act on a caller's mistake, but the log should help whoever looks for its cause.
    else if (problem.cause !== undefined) {
      logger.info('request refused', { requestId, route, code: problem.code, cause: messageOf(problem.cause) });
    }
    if (response.headersSent) {
      response.destroy(); // too late for a problem; closing tells the caller that the response is incomplete
      return;
    }
    // The path without its query, which may contain personal data.
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
 * Makes a response send its text as bytes, so that Express adds no `charset` to the media type. JSON has no such
 * parameter (RFC 8259, section 11), and some clients compare media types including parameters.
 */
function withoutCharset(response: Response): Response {
  const send = response.send.bind(response);
  response.send = (body) => send(typeof body === 'string' ? Buffer.from(body, 'utf8') : body);
  return response;
}

/**
 * Returns the challenge of a route with bearer tokens. It names an error only if a token was sent (RFC 6750, section
 * 3).
 */
export function bearerChallenge(realm: string, request: Request): string {
  const sent = /^Bearer(?: |$)/i.test(request.get('Authorization') ?? '');
  return `Bearer realm="${realm}"${sent ? ', error="invalid_token"' : ''}`;
}

function messageOf(cause: unknown): string {
  return isNativeError(cause) ? cause.message : typeof cause;
}

function internalError(): Problem {
  return new Problem('internal_error', 'The request failed through no fault of yours; quote the request id.');
}
