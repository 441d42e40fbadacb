import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { Route } from './endpoint-routes';

/** A route with the plain spelling of its path. */
interface DirectRoute {
  pattern: RegExp;
  parameters: string[];
  handlers: RequestHandler[];
}

/**
 * Runs the handlers of routes without Express' router, which compares each request with the path of every middleware and
 * route, and wraps each handler. What is taken are requests whose path has the plain spelling of a route: no query,
 * nothing percent-encoded, the letter case of the document, no trailing slash. Express serves all others, with the same
 * handlers, and answers every error.
 */
export class DirectRoutes {
  private readonly errors = new WeakMap<IncomingMessage, { error: unknown }>();

  /** Passes on the errors of direct routes. The first middleware of the app: Express then skips to its error handlers. */
  readonly passErrors: RequestHandler = (request, _response, next) => {
    const failed = this.errors.get(request);
    if (failed === undefined) next();
    else next(failed.error);
  };

  /** Returns a listener for the requests of the app's routes. `before`: returns the app's middleware that a route needs. */
  listener(app: Express, before: (route: Route) => RequestHandler[], routes: Route[]): RequestListener {
    const table = directRoutes(before, routes);
    return (incoming, outgoing) => {
      const candidates = table.get(incoming.method ?? '') ?? [];
      const path = incoming.url ?? '';
      for (const { pattern, parameters, handlers } of candidates) {
        const match = pattern.exec(path);
        if (match === null) continue;
        const params: Record<string, string> = {};
        for (const [index, name] of parameters.entries()) params[name] = match[index + 1] ?? '';
        const { request, response } = asExpressWould(app, incoming, outgoing, params);
        runInOrder(handlers, request, response, (error) => {
          this.errors.set(request, { error });
          app(request, response);
        });
        return;
      }
      app(incoming, outgoing);
    };
  }
}

/** By method, in the order of the routes: the first one that matches is also Express' choice. */
function directRoutes(before: (route: Route) => RequestHandler[], routes: Route[]): Map<string, DirectRoute[]> {
  const table = new Map<string, DirectRoute[]>();
  for (const route of routes) {
    const { method, path, handlers } = route;
    const ofMethod = table.get(method.toUpperCase()) ?? [];
    table.set(method.toUpperCase(), ofMethod);
    ofMethod.push({ ...plainSpelling(path), handlers: [...before(route), ...handlers] });
  }
  return table;
}

/** `/things/{name}` matches a segment of characters that are never percent-encoded (RFC 3986, section 2.3). */
function plainSpelling(path: string): Pick<DirectRoute, 'pattern' | 'parameters'> {
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const source = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([\\w.~-]+)');
  return { pattern: new RegExp(`^${source}$`), parameters };
}

/** Prepares a request and its response as Express does (`app.handle` and `Router.handle`). */
function asExpressWould(
  app: Express,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  params: Record<string, string>,
): { request: Request; response: Response } {
  const request: Request = Object.setPrototypeOf(incoming, app.request);
  const response: Response = Object.setPrototypeOf(outgoing, app.response);
  request.res = response;
  response.req = request;
  response.locals = Object.create(null);
  request.baseUrl = '';
  request.originalUrl = request.url;
  request.params = params;
  return { request, response };
}

/** Calls each handler when the one before has called `next`. An error, thrown or passed on, ends the sequence. */
function runInOrder(
  handlers: RequestHandler[],
  request: Request,
  response: Response,
  onError: (error: unknown) => void,
): void {
  let index = 0;
  const next = (error?: unknown): void => {
    const handler = handlers[index];
    index += 1;
    if (error !== undefined && error !== null) onError(error);
    else if (handler !== undefined) callHandler(handler, request, response, next);
  };
  next();
}

function callHandler(
  handler: RequestHandler,
  request: Request,
  response: Response,
  next: (error?: unknown) => void,
): void {
  try {
    const result: unknown = handler(request, response, next);
    if (result instanceof Promise) result.catch(next);
  } catch (error) {
    next(error);
  }
}
