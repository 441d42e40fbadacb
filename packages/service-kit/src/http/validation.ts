import { invalidRequest, type OpenApiDocument, Problem } from '@multi-drm/contracts';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { middleware, error as validatorErrors } from 'express-openapi-validator';
import type {
  OpenApiRequestMetadata,
  OpenApiValidatorOpts,
  ValidationErrorItem,
} from 'express-openapi-validator/dist/framework/types';
import { fieldErrors } from './field-errors';
import { formats } from './formats';
import { schemaMessages } from './schema-messages';
import { validatedDocument } from './validated-document';

/** Middleware that holds requests, answers or both against the document. Answers in tests alone: it costs time. */
export function validateAgainst(
  document: OpenApiDocument,
  { requests, answers }: { requests: boolean; answers: boolean },
): RequestHandler[] {
  return middleware({
    apiSpec: withHead(validatedDocument(document)) as unknown as OpenApiValidatorOpts['apiSpec'],
    // Unknown query parameters are refused below: the validator would stop at the first, and name no other fault.
    validateRequests: requests && { allErrors: true, allowUnknownQueryParameters: true },
    validateResponses: answers,
    validateSecurity: false, // access is checked before, per endpoint
    formats,
    ajvFormats: { mode: 'full', formats: ['email', 'uri'] },
    fileUploader: false,
  });
}

/** A copy of the document that has HEAD wherever it has GET: the validator knows no method that is not written down. */
function withHead(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    if (item.get !== undefined) item.head = structuredClone(item.get);
  }
  return copy;
}

function unknownQueryParameters(document: OpenApiDocument, request: Request): ValidationErrorItem[] {
  const { openapi } = request as { openapi?: OpenApiRequestMetadata };
  // Called by software that adds parameters of its own: see `CalledBy`.
  if (openapi?.schema !== undefined && 'x-called-by' in openapi.schema) return [];
  const known = (openapi?.schema.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? document.components.parameters?.[parameter.$ref.replace(/^.*\//, '')] : parameter,
  );
  return Object.keys(request.query)
    .filter((name) => !known.some((parameter) => parameter?.in === 'query' && parameter.name === name))
    .map((name) => ({ path: `/query/${name}`, message: 'is not a known parameter' }));
}

/**
 * Refuses query parameters that the operation does not have, unless its `x-called-by` says who may add some. Runs after
 * the validator, which finds the operation.
 */
export function refuseUnknownQueryParameters(document: OpenApiDocument): RequestHandler {
  return (request, _response, next) => {
    const unknown = unknownQueryParameters(document, request);
    next(unknown.length === 0 ? undefined : invalidRequest(fieldErrors(unknown)));
  };
}

export const routeNotFound = (): Problem => new Problem('route_not_found', 'There is no such route.');

/** Turns what the validator throws into problems. */
export function validationProblems(document: OpenApiDocument): ErrorRequestHandler {
  const messages = schemaMessages(document);
  return (error, request, _response, next) => {
    if (error instanceof validatorErrors.NotFound) {
      next(routeNotFound());
    } else if (error instanceof validatorErrors.MethodNotAllowed) {
      const headers = { Allow: error.headers?.Allow ?? '' };
      next(new Problem('method_not_allowed', `${request.method} is not a method of this route.`, { headers }));
    } else if (error instanceof validatorErrors.UnsupportedMediaType) {
      next(new Problem('unsupported_media_type', 'The body must be application/json.'));
    } else if (error instanceof validatorErrors.BadRequest) {
      next(invalidRequest(fieldErrors([...error.errors, ...unknownQueryParameters(document, request)], messages)));
    } else {
      next(error);
    }
  };
}
