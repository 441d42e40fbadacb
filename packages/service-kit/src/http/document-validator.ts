import type { OpenApiDocument } from '@multi-drm/contracts';
import type { NextFunction, Request, RequestHandler } from 'express';
import type { OpenAPIV3, OpenApiRequestMetadata } from 'express-openapi-validator/dist/framework/types';
import { OpenApiValidator, type OpenApiValidatorOpts } from 'express-openapi-validator/dist/openapi.validator';
import { formats } from './formats';
import { documentOfOperation, documentOfRoutes } from './part-of-document';

interface Operation {
  path: string;
  method: string;
}

/** With what the validator notes on a request: the operation, which validator it was, and the answers that there are. */
type ValidatedRequest = Request & {
  openapi?: OpenApiRequestMetadata & { _responseSchema?: { responses: Record<string, unknown> } };
};

type Checks = Pick<OpenApiValidatorOpts, 'validateRequests' | 'validateResponses'>;

/** Middleware that holds requests to one operation against the document. */
export function validateRequests(document: OpenApiDocument, operation: Operation): RequestHandler {
  // Unknown query parameters are refused after it: the validator would stop at the first, and name no other fault.
  const checks = { validateRequests: { allErrors: true, allowUnknownQueryParameters: true } };
  const check = madeWithFirstRequest(() => validator(documentOfOperation(document, operation, 'request'), checks));
  return (request: ValidatedRequest, response, next) => {
    const { openapi } = request;
    check(request, response, (error?: unknown) => {
      // The validator of answers looks for its own note.
      if (openapi !== undefined) request.openapi = openapi;
      next(error);
    });
  };
}

/** Middleware that holds the answers of one operation against the document. For tests: it costs time. */
export function validateAnswers(document: OpenApiDocument, operation: Operation): RequestHandler {
  return madeWithFirstRequest(() => [
    ...validator(documentOfOperation(document, operation, 'answers'), { validateResponses: true }),
    lookAtStatusAlone,
  ]);
}

/**
 * The validator would compile the schemas of all statuses with the first answer of an operation, and again for each content
 * type of a request. It is shown the status of the answer alone, and in place of the content type, by which it keeps what
 * it has compiled, that status.
 */
const lookAtStatusAlone: RequestHandler = (request: ValidatedRequest, response, next) => {
  const { openapi } = request;
  const answer = response.json;
  response.json = (body) => {
    const { statusCode: status } = response;
    const declared = openapi?._responseSchema?.responses[status];
    if (openapi !== undefined) {
      const responses = declared === undefined ? {} : { [status]: declared };
      request.openapi = { ...openapi, _responseSchema: { responses } };
    }
    request.headers['content-type'] = `application/json; status=${status}`;
    return answer.call(response, body);
  };
  next();
};

/** Middleware that refuses what is no route of the document, and what is no method of its route. */
export function refuseUnknownRoutes(document: OpenApiDocument): RequestHandler {
  return madeWithFirstRequest(() => validator(documentOfRoutes(document), {}));
}

/** `/things/{name}` as Express writes it. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

let lastSerial = 0;

/**
 * The library's validator without its loader, which would compile the schema of OpenAPI each time and hold the document
 * against it: the documents are checked where they are bundled, and have no base path. For each operation and status that
 * it meets, the validator walks all of the document that it has: it is to have no more than it needs.
 */
function validator(document: OpenApiDocument, checks: Checks): RequestHandler[] {
  const apiDoc = document as unknown as OpenAPIV3.DocumentV3_1;
  const options: OpenApiValidatorOpts = {
    apiSpec: apiDoc,
    validateRequests: false,
    ...checks,
    validateSecurity: false, // access is checked before, per endpoint
    formats,
    ajvFormats: { mode: 'full', formats: ['email', 'uri'] },
    fileUploader: false,
  };
  lastSerial += 1;
  const spec = { apiDoc, basePaths: [''], routes: routesOf(document), serial: lastSerial };
  return new OpenApiValidator(options).installMiddleware(Promise.resolve(spec));
}

/** Fixed paths before the templates that fit them, too: `/a/b` before `/a/{c}`. */
function routesOf(document: OpenApiDocument) {
  const paths = Object.entries(document.paths).sort(([a], [b]) => (a < b ? -1 : 1)); // a brace sorts after letters and digits
  return paths.flatMap(([openApiRoute, { parameters: _ofAll, ...operations }]) => {
    const route = { basePath: '', openApiRoute, expressRoute: expressPath(openApiRoute), pathParams: [] };
    return Object.keys(operations).map((method) => ({ ...route, method: method.toUpperCase() }));
  });
}

function madeWithFirstRequest(make: () => RequestHandler[]): RequestHandler {
  let steps: RequestHandler[] | undefined;
  return (request, response, next) => {
    steps ??= make();
    const enter = steps.reduceRight<NextFunction>(
      (following, step) => (error?: unknown) => {
        if (error === undefined) step(request, response, following);
        else next(error);
      },
      next,
    );
    enter();
  };
}
