import { invalidRequest } from '@multi-drm/contracts';
import type { RequestHandler } from 'express';
import type { Route } from './endpoint-routes';
import { inOrder } from './in-order';

/** What is served at a path. */
interface ServedPath {
  pattern: RegExp;
  /** The names of the pattern's groups, in order. */
  parameters: string[];
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
    for (const { pattern, parameters, handlers } of served) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const params: Record<string, string> = {};
      for (const [index, name] of parameters.entries()) params[name] = decoded(match[index + 1] ?? '');
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
    const served = byPath.get(path) ?? { ...patternOf(path), handlers: new Map() };
    byPath.set(path, served);
    served.handlers.set(method.toUpperCase(), inOrder(handlers));
  }
  return [...byPath.values()];
}

/** The pattern of a path of the document, such as `/things/{name}`. */
function patternOf(path: string): Pick<ServedPath, 'pattern' | 'parameters'> {
  const parameters = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const source = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)');
  return { pattern: new RegExp(`^${source}/?$`, 'i'), parameters };
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw invalidRequest({ path: ['is not valid percent-encoding'] });
  }
}
