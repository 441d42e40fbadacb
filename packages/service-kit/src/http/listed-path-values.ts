import type { OpenApiDocument } from '@multi-drm/contracts';
import type { RequestHandler } from 'express';
import { dereference } from './dereference';
import { routeNotFound } from './validation';

interface Parameter {
  in: string;
  name: string;
  schema?: unknown;
}

/**
 * Refuses a path with a value that its parameter's list (`enum`) does not have, such as an unknown DRM system: the values
 * of a list are parts of the route, so such a path is no route (404), whoever asks.
 */
export function requireListedPathValues(document: OpenApiDocument, path: string): RequestHandler {
  const lists = pathParameters(document, path).flatMap(({ name, schema }) => {
    const { enum: values } = dereference<{ enum?: unknown[] }>(document, schema);
    return values === undefined ? [] : [{ name, values }];
  });
  return (request, _response, next) => {
    const isListed = lists.every(({ name, values }) => values.includes(request.params[name]));
    next(isListed ? undefined : routeNotFound());
  };
}

/** The parameters of a path that all of its operations share. */
function pathParameters(document: OpenApiDocument, path: string): Parameter[] {
  const { parameters = [] } = document.paths[path] as { parameters?: unknown[] };
  return parameters.map((entry) => dereference<Parameter>(document, entry)).filter((entry) => entry.in === 'path');
}
