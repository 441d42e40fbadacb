import type { OpenApiDocument } from '@multi-drm/contracts';
import type { NextFunction, Request, RequestHandler } from 'express';
import type { OpenAPIV3, OpenApiRequestMetadata } from 'express-openapi-validator/dist/framework/types';
import { OpenApiValidator, type OpenApiValidatorOpts } from 'express-openapi-validator/dist/openapi.validator';
import { formats } from './formats';
import { type OncePerDocument, oncePerDocument } from './once-per-document';
import { documentOfOperation, documentOfRoutes } from './part-of-document';
import { queryIntegerFormats } from './query-integers';

interface Operation {
  path: string;
  method: string;
}

/** A request with what the validator adds: the operation, the validator's serial number, and the declared responses. */
type ValidatedRequest = Request & {
  openapi?: OpenApiRequestMetadata & { _responseSchema: { responses: Record<string, unknown> } };
};

type Checks = Pick<OpenApiValidatorOpts, 'validateRequests' | 'validateResponses'>;

/** Middleware that validates the responses of one operation against the document. For tests only: it is slow. */
export const responseValidator: OncePerDocument<RequestHandler, [Operation]> = oncePerDocument(
  ({ method, path }: Operation) => `${method} ${path}`,
  (document, operation) =>
    createdOnFirstRequest(() => [
      ...validator(documentOfOperation(document, operation, 'responses'), { validateResponses: true }),
      validateOneStatus,
    ]),
);

/**
 * On the first response of an operation the validator would compile the schemas of all statuses, and again for every
 * content type of a request. This shows it only the status of the response. The status also replaces the content type,
 * which is the key of the validator's cache of compiled schemas.
 */
const validateOneStatus: RequestHandler = (request: ValidatedRequest, response, next) => {
  const { openapi } = request;
  const sendJson = response.json;
  response.json = (body) => {
    const { statusCode: status } = response;
    const declared = openapi?._responseSchema.responses[status];
    if (openapi !== undefined) {
      const responses = declared === undefined ? {} : { [status]: declared };
      request.openapi = { ...openapi, _responseSchema: { responses } };
    }
    request.headers['content-type'] = `application/json; status=${status}`;
    return sendJson.call(response, body);
  };
  next();
};

/** Middleware that rejects paths that the document does not have, and methods that a path does not have. */
export const refuseUnknownRoutes: OncePerDocument<RequestHandler, []> = oncePerDocument(
  () => '',
  (document) => createdOnFirstRequest(() => validator(documentOfRoutes(document), {})),
);

/** Converts `/things/{name}` to Express syntax. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

let lastSerial = 0;

/**
 * Creates the library's validator without its loader, which would compile the OpenAPI schema each time and validate the
 * document against it. That already happens when the documents are bundled, and they have no base path. For each
 * operation and status, the validator walks the whole document it is given, so it should get no more than it needs.
 */
function validator(document: OpenApiDocument, checks: Checks): RequestHandler[] {
  const apiDoc = document as unknown as OpenAPIV3.DocumentV3_1;
  lastSerial += 1;
  const spec = { apiDoc, basePaths: [''], routes: routesOf(document), serial: lastSerial };
  return new OpenApiValidator(validatorOptions(document, checks)).installMiddleware(Promise.resolve(spec));
}

/** The library's options for a document. */
export function validatorOptions(document: OpenApiDocument, checks: Checks): OpenApiValidatorOpts {
  return {
    apiSpec: document as unknown as OpenAPIV3.DocumentV3_1,
    validateRequests: false,
    ...checks,
    validateSecurity: false, // access is checked earlier, per endpoint
    formats: { ...formats, ...queryIntegerFormats(document) },
    ajvFormats: { mode: 'full', formats: ['uri'] },
    fileUploader: false,
  };
}

/** Lists fixed paths before matching templates: `/a/b` before `/a/{c}`. */
function routesOf(document: OpenApiDocument) {
  const paths = Object.entries(document.paths).sort(([a], [b]) => (a < b ? -1 : 1)); // a brace sorts after letters and digits
  return paths.flatMap(([openApiRoute, { parameters: _ofAll, ...operations }]) => {
    const route = { basePath: '', openApiRoute, expressRoute: expressPath(openApiRoute), pathParams: [] };
    return Object.keys(operations).map((method) => ({ ...route, method: method.toUpperCase() }));
  });
}

function createdOnFirstRequest(make: () => RequestHandler[]): RequestHandler {
  let handlers: RequestHandler[] | undefined;
  return (request, response, next) => {
    handlers ??= make();
    const enter = handlers.reduceRight<NextFunction>(
      (following, handler) => (error?: unknown) => {
        if (error === undefined) handler(request, response, following);
        else next(error);
      },
      next,
    );
    enter();
  };
}
