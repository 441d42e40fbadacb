import { invalidRequest } from '@multi-drm/contracts';
import type { RequestHandler } from 'express';
import type { Route } from './endpoint-routes';
import { inOrder } from './in-order';
import { pathPattern } from './operations';

/** What is served at a path. */
interface ServedPath {
  pattern: RegExp;
  /** By method. */
  handlers: Map<string, RequestHandler>;
}

/**
 * Makes one middleware of all routes, the first of which that matches serves a request. Letter case and a trailing slash do not matter,
 * values in paths are percent-decoded, and HEAD is served as GET (RFC 9110, section 9.3.2). Passes on requests without a route. Express
 * would try each route as a middleware of its own.
 */
export function dispatch(routes: readonly Route[]): RequestHandler {
  const served = servedPaths(routes);
  return (request, response, next) => {
    const { path } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    for (const { pattern, handlers } of served) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const params: Record<string, string> = {};
      for (const [name, value] of Object.entries(match.groups ?? {})) params[name] = decoded(value);
      const handler = handlers.get(method);
      if (handler === undefined) continue;
      request.params = params;
      handler(request, response, next);
      return;
    }
    next();
  };
}

/** In the order of the routes. */
function servedPaths(routes: readonly Route[]): Iterable<ServedPath> {
  const byPath = new Map<string, ServedPath>();
  for (const { method, path, handlers } of routes) {
    const served = byPath.get(path) ?? { pattern: pathPattern(path), handlers: new Map() };
    byPath.set(path, served);
    served.handlers.set(method.toUpperCase(), inOrder(handlers));
  }
  return [...byPath.values()];
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw invalidRequest({ path: ['is not valid percent-encoding'] });
  }
}
