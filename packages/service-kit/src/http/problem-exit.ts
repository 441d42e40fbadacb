import { invalidRequest, Problem, problemDocument } from '@multi-drm/contracts';
import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../logger';
import { contextOf } from './request-context';

interface ProblemExitOptions {
  logger: Logger;
  /** Members of every problem document of the service. */
  members?: Record<string, unknown>;
  /** Recognises errors of the service's own dependencies, such as a data store out of reach. */
  toProblem?(error: unknown): Problem | undefined;
}

/** What Express says of a path that cannot be decoded. Other URIErrors are the service's own. */
function malformedPath(error: unknown): Problem | undefined {
  return error instanceof URIError && 'status' in error && error.status === 400
    ? invalidRequest({ path: ['is not valid percent-encoding'] })
    : undefined;
}

/** The one exit of errors: a `Problem` is answered as it is; anything else is logged once and becomes `internal_error`. */
export function problemExit({ logger, members = {}, toProblem }: ProblemExitOptions): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const problem = error instanceof Problem ? error : (malformedPath(error) ?? toProblem?.(error) ?? internalError());
    const { requestId, route } = contextOf(response);
    if (problem.code === 'internal_error') logger.error('request failed', { requestId, route, error });
    // What made the service unavailable is worth a line; a refusal that it decided on is not.
    else if (problem.status >= 500 && (problem !== error || problem.cause !== undefined)) {
      logger.warn('request failed', { requestId, route, error });
    }
    if (response.headersSent) {
      response.destroy(); // the answer cannot be mended any more: the caller must not take it for whole
      return;
    }
    // The path without its query, which may hold personal data.
    const instance = request.originalUrl.split('?', 1)[0] ?? '/';
    response
      .status(problem.status)
      .set(problem.headers)
      .type('application/problem+json')
      .json({ ...problemDocument(problem, { requestId, instance }), ...members });
  };
}

function internalError(): Problem {
  return new Problem('internal_error', 'The request failed through no fault of yours; quote the request id.');
}
