import type { OpenApiDocument } from '@multi-drm/contracts';
import type { Request, RequestHandler } from 'express';
import type {
  OpenAPIV3,
  OpenApiRequestMetadata,
  ValidateResponseOpts,
} from 'express-openapi-validator/dist/framework/types';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator';
import { certainlyPasses } from './compiled-schemas';
import { expressPath, validatorOptions } from './document-validator';
import { type OncePerDocument, oncePerDocument } from './once-per-document';
import { documentOfOperation } from './part-of-document';
import { routeNotFound } from './validation';

interface Operation {
  path: string;
  method: string;
}

/** A request with what the validator adds: the operation. */
type ValidatedRequest = Request & { openapi?: OpenApiRequestMetadata };

// Unknown query parameters are rejected later: the validator would stop at the first one and report no other error.
const checks = { allErrors: true, allowUnknownQueryParameters: true };

/**
 * Middleware that validates requests to one operation against the document. Express has already found the operation, so
 * the library's own search is left out: it would compile every path of its document again for each request.
 */
export const validateRequests: OncePerDocument<RequestHandler, [Operation]> = oncePerDocument(
  ({ method, path }: Operation) => `${method} ${path}`,
  (document, operation) => {
    let validate: RequestHandler | undefined;
    return (request, response, next) => {
      validate ??= requestValidator(documentOfOperation(document, operation, 'request'), operation.path);
      return validate(request, response, next);
    };
  },
);

/** Creates the library's validator of requests for the only path of a document. */
function requestValidator(document: OpenApiDocument, path: string): RequestHandler {
  const { options, ajvOpts } = new OpenApiValidator(validatorOptions(document, { validateRequests: checks }));
  const apiDoc = document as unknown as OpenAPIV3.DocumentV3_1;
  // The library, too, passes false.
  new SchemaPreprocessor(apiDoc, ajvOpts.preprocessor, options.validateResponses as ValidateResponseOpts).preProcess();
  const validator = new RequestValidator(apiDoc, ajvOpts.request);
  const passes = certainlyPasses(validator, expressPath(path));

  return (request: ValidatedRequest, response, next) => {
    // Express also understands `http://host/path` and `/path#part`, which are not paths of the document.
    if (request.originalUrl.split('?', 1)[0] !== request.path) throw routeNotFound();
    const schema = apiDoc.paths?.[path]?.[request.method.toLowerCase() as 'get'];
    if (schema === undefined) throw routeNotFound();
    if (passes(request, schema)) {
      next();
      return;
    }
    const { openapi } = request;
    const pathParams = request.params as Record<string, string>;
    request.openapi = { expressRoute: expressPath(path), openApiRoute: path, pathParams, schema, serial: 0 };
    const done = (error?: unknown) => {
      // The response validator looks for its own metadata.
      if (openapi !== undefined) request.openapi = openapi;
      next(error);
    };
    try {
      validator.validate(request, response, done);
    } catch (error) {
      done(error);
    }
  };
}
