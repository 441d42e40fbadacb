import { invalidRequest, type OpenApiDocument, Problem } from '@multi-drm/contracts';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import {
  BadRequest,
  MethodNotAllowed,
  NotFound,
  type OpenApiRequestMetadata,
  UnsupportedMediaType,
  type ValidationErrorItem,
} from 'express-openapi-validator/dist/framework/types';
import { hasBody } from './bodies';
import { fieldErrors } from './field-errors';
import { schemaMessages } from './schema-messages';

function unknownQueryParameters(document: OpenApiDocument, request: Request): ValidationErrorItem[] {
  const { openapi } = request as { openapi?: OpenApiRequestMetadata };
  // Called by software that adds its own parameters: see `CalledBy`.
  if (openapi?.schema !== undefined && 'x-called-by' in openapi.schema) return [];
  const known = (openapi?.schema.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? document.components.parameters?.[parameter.$ref.replace(/^.*\//, '')] : parameter,
  );
  return Object.keys(request.query)
    .filter((name) => !known.some((parameter) => parameter?.in === 'query' && parameter.name === name))
    .map((name) => ({ path: `/query/${name}`, message: 'is not a known parameter' }));
}

/**
 * Rejects query parameters that the operation does not have, unless it has `x-called-by`. Runs after the validator,
 * which finds the operation.
 */
export function refuseUnknownQueryParameters(document: OpenApiDocument): RequestHandler {
  return (request, _response, next) => {
    const unknown = request.originalUrl.includes('?') ? unknownQueryParameters(document, request) : [];
    next(unknown.length === 0 ? undefined : invalidRequest(fieldErrors(unknown)));
  };
}

export const routeNotFound = (): Problem => new Problem('route_not_found', 'This route does not exist.');

/** Converts the validator's errors to problems. */
export function validationProblems(document: OpenApiDocument): ErrorRequestHandler {
  const messages = schemaMessages(document);
  return (error, request, _response, next) => {
    if (error instanceof NotFound) {
      next(routeNotFound());
    } else if (error instanceof MethodNotAllowed) {
      const headers = { Allow: error.headers?.Allow ?? '' };
      next(new Problem('method_not_allowed', `This route does not support ${request.method}.`, { headers }));
    } else if (error instanceof UnsupportedMediaType) {
      next(
        hasBody(request)
          ? new Problem('unsupported_media_type', 'The body must be application/json.')
          : invalidRequest({ body: ['is required'] }),
      );
    } else if (error instanceof BadRequest) {
      next(invalidRequest(fieldErrors([...error.errors, ...unknownQueryParameters(document, request)], messages)));
    } else {
      next(error);
    }
  };
}
