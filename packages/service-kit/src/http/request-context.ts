import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../logger';
import type { CompletedRequest } from '../metrics';

/** What is known about the current request. */
export interface RequestContext {
  requestId: string;
  /** Path template of the matched operation, such as `/api/v1/plans`. */
  route?: string;
  environmentId?: string;
  /** The values of the path's parameters, as they were sent. */
  params?: Request['params'];
  /** What a refused request was about, by the names of ids: no personal data. */
  refused?: Record<string, string>;
  /** Whether a monitor asks for the health of the process. */
  isProbe?: boolean;
  /** The code of the problem that the request is answered with. */
  code?: string;
}

interface RequestContextOptions {
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
  /** Called for each finished request; see `Metrics.countRequest`. */
  onCompleted?: ((request: CompletedRequest) => void) | undefined;
}

const acceptableRequestId = /^[A-Za-z0-9._-]{8,128}$/;

/** Returns the context that `requestContext` created for the request of this response. */
export function contextOf(response: Response): RequestContext {
  return response.locals.requestContext as RequestContext;
}

/**
 * Gives each request an id: the caller's `X-Request-Id` if it has a safe form, otherwise a UUID. Sends it in the
 * response, writes one log line when the response is done (of probes at the level debug), and calls `onCompleted`. Paths,
 * queries and bodies are not logged, because they can contain personal data.
 */
export function requestContext(
  logger: Logger,
  { now = performance.now.bind(performance), onCompleted = () => undefined }: RequestContextOptions = {},
): RequestHandler {
  return (request, response, next) => {
    const startedAt = now();
    const given = request.headers['x-request-id'];
    const context: RequestContext = {
      requestId: typeof given === 'string' && acceptableRequestId.test(given) ? given : randomUUID(),
    };
    response.locals.requestContext = context;
    response.setHeader('X-Request-Id', context.requestId);
    response.once('close', () => {
      const { method } = request;
      const route = context.route ?? 'none';
      const status = response.writableFinished ? response.statusCode : 'aborted';
      const durationMilliseconds = now() - startedAt;
      onCompleted({ method, route, status, code: context.code, durationMilliseconds });
      // Probes come every few seconds, and say nothing of callers. Why a dependency is down is logged where it is noticed.
      logger[context.isProbe === true ? 'debug' : 'info']('request', {
        requestId: context.requestId,
        method,
        route,
        status,
        code: context.code,
        durationMilliseconds: Math.round(durationMilliseconds),
        environmentId: context.environmentId,
        ...context.refused,
      });
    });
    next();
  };
}
