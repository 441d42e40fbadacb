import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Logger } from '../logger';
import type { AnsweredRequest } from '../metrics';

/** What is known of the request in hand. */
export interface RequestContext {
  requestId: string;
  /** Path template of the matched operation, such as `/api/v1/plans`. */
  route?: string;
  environmentId?: string;
  /** Of the problem that the request is answered with. */
  code?: string;
}

interface RequestContextOptions {
  /** Milliseconds since any one moment. */
  now?: () => number;
  /** Told of each request when it is done; see `Metrics.countRequest`. */
  onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

const acceptableRequestId = /^[A-Za-z0-9._-]{8,128}$/;

/** The context that `requestContext` made for the request that this response answers. */
export function contextOf(response: Response): RequestContext {
  return response.locals.requestContext as RequestContext;
}

/**
 * Gives each request an id (the caller's `X-Request-Id` where it is of a harmless form, else a UUID), answers with it,
 * and logs one line when the answer is done, and tells `onAnswered`. No path, no query and no body is logged: they can hold personal data.
 */
export function requestContext(
  logger: Logger,
  { now = performance.now.bind(performance), onAnswered = () => undefined }: RequestContextOptions = {},
): RequestHandler {
  return (request, response, next) => {
    const startedAt = now();
    const given = request.get('X-Request-Id');
    const context: RequestContext = {
      requestId: given !== undefined && acceptableRequestId.test(given) ? given : randomUUID(),
    };
    response.locals.requestContext = context;
    response.set('X-Request-Id', context.requestId);
    response.once('close', () => {
      const { method } = request;
      const route = context.route ?? 'none';
      const status = response.writableFinished ? response.statusCode : 'aborted';
      const durationMilliseconds = now() - startedAt;
      onAnswered({ method, route, status, durationMilliseconds });
      logger.info('request', {
        requestId: context.requestId,
        method,
        route,
        status,
        code: context.code,
        durationMilliseconds: Math.round(durationMilliseconds),
        environmentId: context.environmentId,
      });
    });
    next();
  };
}
