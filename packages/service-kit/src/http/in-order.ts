import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Makes one handler of several: each runs when the one before has called `next`. An error, thrown, rejected or passed on, skips the rest.
 * Express would wrap each of them in several functions for each request.
 */
export function inOrder(handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    let index = 0;
    const next = (error?: unknown): void => {
      const handler = handlers[index];
      index += 1;
      if (error !== undefined && error !== null) done(error);
      else if (handler === undefined) done();
      else run(handler, request, response, next);
    };
    next();
  };
}

function run(handler: RequestHandler, request: Request, response: Response, next: NextFunction): void {
  // Without a reason, the next handler would run.
  const fail = (error: unknown) => next(error ?? new Error('a handler failed without a reason'));
  try {
    const result: unknown = handler(request, response, next);
    if (result instanceof Promise) result.catch(fail);
  } catch (error) {
    fail(error);
  }
}
