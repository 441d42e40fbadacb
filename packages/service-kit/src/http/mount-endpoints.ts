import { invalidRequest, type OpenApiDocument } from '@multi-drm/contracts';
import type { Express, Request, RequestHandler, Response } from 'express';
import { absentMembersOf } from './absent-members';
import { expressPath, refuseUnknownRoutes, validateAnswers, validateRequests } from './document-validator';
import type { Endpoint } from './endpoint';
import { bytesBody, isJson, jsonBody, readUnwantedBody, refuseUnwantedBody } from './json-body';
import { requireListedPathValues } from './listed-path-values';
import { requireListedProblems } from './listed-problems';
import { contextOf } from './request-context';
import { validatedDocument } from './validated-document';
import { refuseUnknownQueryParameters, routeNotFound, validationProblems } from './validation';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

interface Operation {
  operationId: string;
  method: Method;
  /** As in the document: `/api/v1/projects/{projectId}`. */
  path: string;
  /** The kind of body: `bytes` (any content type) where the document says `application/octet-stream`. */
  body: 'none' | 'json' | 'bytes';
  needsBody: boolean;
  /** The schema of a JSON body. */
  bodySchema: unknown;
  /** The third-party software that calls it, other than customer backends and administrators; undefined: none. */
  calledBy: CalledBy | undefined;
}

/**
 * `x-called-by` of an operation. Such operations ignore unknown query parameters: players and monitors add their own.
 */
export type CalledBy = 'players' | 'monitors' | 'anyone';

/** Lists every operation of an OpenAPI document. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => {
        const { operationId, requestBody, 'x-called-by': calledBy } = operation as DocumentedOperation;
        return {
          operationId,
          method: method as Method,
          path,
          body: bodyOf(requestBody),
          needsBody: requestBody?.required ?? false,
          bodySchema: requestBody?.content['application/json']?.schema,
          calledBy,
        };
      }),
  );
}

interface DocumentedOperation {
  operationId: string;
  requestBody?: { required?: boolean; content: Record<string, { schema?: unknown }> };
  'x-called-by'?: CalledBy;
}

function bodyOf(requestBody: DocumentedOperation['requestBody']): Operation['body'] {
  if (requestBody === undefined) return 'none';
  return 'application/octet-stream' in requestBody.content ? 'bytes' : 'json';
}

interface MountOptions<Access, Context> {
  document: OpenApiDocument;
  endpoints: Endpoint<Access, Context>[];
  /** Throws a problem unless the caller may call an endpoint with this access; returns the `context`. */
  authorize(access: Access, request: Request, response: Response): Promise<Context> | Context;
  /** Whether responses are validated against the document, too. For tests only: it is slow. */
  validateResponses: boolean;
}

/** Pairs operations with their endpoints; fixed paths come before matching templates: `/a/b` before `/a/{c}`. */
function pair<Access, Context>({ document, endpoints }: MountOptions<Access, Context>) {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.operationId, endpoint]));
  if (byId.size < endpoints.length) throw new Error('two endpoints implement the same operation');
  const pairs = operationsOf(document).map((operation) => {
    const endpoint = byId.get(operation.operationId);
    if (endpoint === undefined) throw new Error(`operation ${operation.operationId} has no endpoint`);
    byId.delete(operation.operationId);
    return { operation, endpoint };
  });
  const [stray] = byId.keys();
  if (stray !== undefined) throw new Error(`endpoint ${stray} is not an operation of the document`);
  return pairs.sort((a, b) => (a.operation.path < b.operation.path ? -1 : 1)); // a brace sorts after letters and digits
}

/** Records the matched operation in the request's context. */
function recordRoute({ path }: Operation): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    context.route = path;
    const environmentId = request.params.environmentId ?? request.params.siteId;
    if (typeof environmentId === 'string') context.environmentId = environmentId;
    next();
  };
}

/**
 * The validator compiles and keeps a schema for every content type that it sees. Limit it to those of the document, or
 * callers could fill the memory.
 */
function normalizeContentType({ body }: Operation): RequestHandler {
  return (request, _response, next) => {
    if (body !== 'json') delete request.headers['content-type'];
    else if (isJson(request)) request.headers['content-type'] = 'application/json';
    next();
  };
}

/** Removes absent values from a JSON body before anything reads or hashes it. */
function dropAbsentMembers(document: OpenApiDocument, { bodySchema }: Operation): RequestHandler {
  const withoutAbsent = absentMembersOf(document, bodySchema);
  return (request, _response, next) => {
    if (request.body !== undefined) request.body = withoutAbsent(request.body);
    next();
  };
}

/** Requires a body where the document does. The validator does so only if the body's schema requires members. */
const requireBody: RequestHandler = (request, _response, next) => {
  next(request.body === undefined ? invalidRequest({ body: ['is required'] }) : undefined);
};

/**
 * Mounts one route for each operation of the document. Checks run in this order: body size and JSON syntax, access
 * (credential, permission, tenant), schema; then the handler runs. HEAD is answered wherever GET is, by the same
 * handlers (RFC 9110, section 9.3.2). Throws if operations and endpoints do not match one to one.
 */
export function mountEndpoints<Access, Context>(app: Express, options: MountOptions<Access, Context>): void {
  const { document, authorize, validateResponses } = options;
  const contexts = new WeakMap<Response, Context>();
  const bytes = new WeakMap<Request, Buffer>();
  // Hides the bytes from the validator, which cannot check them.
  const keepBytes: RequestHandler = (request, _response, next) => {
    bytes.set(request, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    request.body = undefined;
    next();
  };
  const validated = validatedDocument(document);
  const refuseUnknownQuery = refuseUnknownQueryParameters(document);

  for (const { operation, endpoint } of pair(options)) {
    const access: RequestHandler = async (request, response, next) => {
      contexts.set(response, await authorize(endpoint.access, request, response));
      next();
    };

    const handle: RequestHandler = async (request, response) => {
      const input = {
        params: request.params,
        query: request.query,
        body: bytes.get(request) ?? request.body,
        context: contexts.get(response),
        requestId: contextOf(response).requestId,
        request,
        response,
      };
      // Safe: the request was just validated against this operation.
      const reply = await endpoint.handle(input as never);
      response.status(Number(reply.status)).set(reply.headers ?? {});
      if (reply.bytes !== undefined) response.type(reply.contentType ?? 'application/octet-stream').send(reply.bytes);
      // A response without a body also goes through json(), where the validator sees it.
      else response.json(reply.body);
    };

    // The body of a GET has no meaning (RFC 9110, section 9.3.1).
    const hasUnwantedBody = operation.body === 'none' && operation.method !== 'get';
    const body = { none: hasUnwantedBody ? [readUnwantedBody] : [], json: [jsonBody], bytes: [bytesBody, keepBytes] };
    const handlers = [
      ...(validateResponses ? [requireListedProblems(document, operation)] : []),
      requireListedPathValues(document, operation.path),
      // Also validates responses that are sent before the schema check.
      ...(validateResponses ? [validateAnswers(validated, operation)] : []),
      ...body[operation.body],
      access,
      ...(hasUnwantedBody ? [refuseUnwantedBody] : []),
      ...(operation.body === 'json' ? [dropAbsentMembers(document, operation)] : []),
      normalizeContentType(operation),
      validateRequests(validated, operation),
      refuseUnknownQuery,
      ...(operation.needsBody ? [requireBody] : []),
      handle,
    ];
    app[operation.method](expressPath(operation.path), recordRoute(operation), ...handlers);
  }

  // Everything else ends here with the validator's 404 or 405, except `OPTIONS *`, which it lets through.
  app.use(refuseUnknownRoutes(document), () => {
    throw routeNotFound();
  });
  app.use(validationProblems(document));
}
