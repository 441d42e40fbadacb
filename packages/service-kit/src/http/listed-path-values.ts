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
 * Rejects a path whose parameter has a value outside its `enum`, such as an unknown DRM system. The values of an
 * enumeration are part of the route, so such a path is a 404 for every caller.
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

/** The path parameters that all operations of a path share. */
function pathParameters(document: OpenApiDocument, path: string): Parameter[] {
  const { parameters = [] } = document.paths[path] as { parameters?: unknown[] };
  return parameters.map((entry) => dereference<Parameter>(document, entry)).filter((entry) => entry.in === 'path');
}
