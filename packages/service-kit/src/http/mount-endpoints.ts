import { invalidRequest, type OpenApiDocument } from '@multi-drm/contracts';
import type { Express, Request, RequestHandler, Response } from 'express';
import { absentMembersOf } from './absent-members';
import { expressPath, refuseUnknownRoutes, validateAnswers, validateRequests } from './document-validator';
import type { Endpoint } from './endpoint';
import { bytesBody, isJson, jsonBody, refuseBody } from './json-body';
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
  /** What its body is: bytes of any content type where the document says `application/octet-stream`. */
  body: 'none' | 'json' | 'bytes';
  needsBody: boolean;
  /** Of a JSON body. */
  bodySchema: unknown;
  /** Who calls it beside customers' backends and administrators: software that we do not write. Undefined: nobody. */
  calledBy: CalledBy | undefined;
}

/** `x-called-by` of an operation. Unknown query parameters are ignored there: players and monitors add their own. */
export type CalledBy = 'players' | 'monitors' | 'anyone';

/** Every operation of an OpenAPI document. */
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
  /** Throws a problem unless the caller may call an endpoint of this access; what it returns becomes `context`. */
  authorize(access: Access, request: Request, response: Response): Promise<Context> | Context;
  /** Holds answers, too, against the document. For tests: it costs time. */
  validateResponses: boolean;
}

/** Operations with their endpoints, fixed paths before the templates that fit them, too: `/a/b` before `/a/{c}`. */
function pair<Access, Context>({ document, endpoints }: MountOptions<Access, Context>) {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.operationId, endpoint]));
  if (byId.size < endpoints.length) throw new Error('two endpoints are for the same operation');
  const pairs = operationsOf(document).map((operation) => {
    const endpoint = byId.get(operation.operationId);
    if (endpoint === undefined) throw new Error(`operation ${operation.operationId} has no endpoint`);
    byId.delete(operation.operationId);
    return { operation, endpoint };
  });
  const [stray] = byId.keys();
  if (stray !== undefined) throw new Error(`endpoint ${stray} is no operation of the document`);
  return pairs.sort((a, b) => (a.operation.path < b.operation.path ? -1 : 1)); // a brace sorts after letters and digits
}

/** Tells the request's context what is called. */
function enter({ path }: Operation): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    context.route = path;
    const environmentId = request.params.environmentId ?? request.params.siteId;
    if (typeof environmentId === 'string') context.environmentId = environmentId;
    next();
  };
}

/**
 * The validator compiles a schema for every content type that it meets, and keeps it. It is to meet none but the
 * document's own, or callers could fill the memory.
 */
function settleContentType({ body }: Operation): RequestHandler {
  return (request, _response, next) => {
    if (body !== 'json') delete request.headers['content-type'];
    else if (isJson(request)) request.headers['content-type'] = 'application/json';
    next();
  };
}

/** Takes out of a JSON body what counts as absent, before anything looks at it, or makes a hash of it. */
function dropAbsentMembers(document: OpenApiDocument, { bodySchema }: Operation): RequestHandler {
  const withoutAbsent = absentMembersOf(document, bodySchema);
  return (request, _response, next) => {
    if (request.body !== undefined) request.body = withoutAbsent(request.body);
    next();
  };
}

/** Refuses no body where there must be one: the validator does so only where the body's schema requires members. */
const requireBody: RequestHandler = (request, _response, next) => {
  next(request.body === undefined ? invalidRequest({ body: ['is required'] }) : undefined);
};

/**
 * Mounts one route for each operation of the document. Checks run in this order: body size and JSON syntax, then access
 * (credential, permission, tenant), then the schema, then the handler. HEAD is answered wherever GET is, by the same steps
 * (RFC 9110, section 9.3.2). Throws where operations and endpoints do not match one to one.
 */
export function mountEndpoints<Access, Context>(app: Express, options: MountOptions<Access, Context>): void {
  const { document, authorize, validateResponses } = options;
  const contexts = new WeakMap<Response, Context>();
  const bytes = new WeakMap<Request, Buffer>();
  // Out of the validator's sight, which has nothing to say about bytes.
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
      // Safe: the validator has just held the request against this operation's schema.
      const reply = await endpoint.handle(input as never);
      response.status(Number(reply.status)).set(reply.headers ?? {});
      if (reply.bytes !== undefined) response.type(reply.contentType ?? 'application/octet-stream').send(reply.bytes);
      // An answer without a body goes through json(), too: there the validator sees it.
      else response.json(reply.body);
    };

    const body = { none: [], json: [jsonBody], bytes: [bytesBody, keepBytes] }[operation.body];
    const steps = [
      ...(validateResponses ? [requireListedProblems(document, operation)] : []),
      requireListedPathValues(document, operation.path),
      // Holds against the document what is answered before the schema is reached, too.
      ...(validateResponses ? [validateAnswers(validated, operation)] : []),
      ...body,
      access,
      // Of a GET a body means nothing (RFC 9110, section 9.3.1).
      ...(operation.body === 'none' && operation.method !== 'get' ? [refuseBody] : []),
      ...(operation.body === 'json' ? [dropAbsentMembers(document, operation)] : []),
      settleContentType(operation),
      validateRequests(validated, operation),
      refuseUnknownQuery,
      ...(operation.needsBody ? [requireBody] : []),
      handle,
    ];
    app[operation.method](expressPath(operation.path), enter(operation), ...steps);
  }

  // What is no operation ends here: with the validator's 404 or 405, but for `OPTIONS *`, which it lets through.
  app.use(refuseUnknownRoutes(document), () => {
    throw routeNotFound();
  });
  app.use(validationProblems(document));
}
