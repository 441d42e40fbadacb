import { invalidRequest, type OpenApiDocument } from '@multi-drm/contracts';
import type { Request, RequestHandler, Response } from 'express';
import { absentMembersOf } from './absent-members';
import { Bodies } from './bodies';
import { responseValidator } from './document-validator';
import type { Endpoint } from './endpoint';
import { isJson, jsonBody, refuseUnwantedBody, usingBytes } from './json-body';
import { requireListedPathValues } from './listed-path-values';
import { requireListedProblems } from './listed-problems';
import { type Operation, operationsOf } from './operations';
import { contextOf } from './request-context';
import { sendDirectly, sendThroughExpress } from './send-reply';
import { validateRequests } from './validate-requests';
import { validatedDocument } from './validated-document';
import { refuseUnknownQueryParameters } from './validation';

export interface MountOptions<Access, Context> {
  document: OpenApiDocument;
  endpoints: Endpoint<Access, Context>[];
  /** Throws a problem unless the caller may call an endpoint with this access; returns the `context`. */
  authorize(access: Access, request: Request, response: Response): Promise<Context> | Context;
  /** Whether responses are validated against the document, too. For tests only: it is slow. */
  validateResponses: boolean;
  /** Receives the bodies; of the service, if it receives them earlier. */
  bodies?: Bodies;
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
function recordRoute({ path, calledBy }: Operation): RequestHandler {
  const isProbe = calledBy === 'monitors';
  return (request, response, next) => {
    const context = contextOf(response);
    context.route = path;
    context.params = request.params;
    if (isProbe) context.isProbe = true;
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

/**
 * Receives the body before the access check: one that never arrives must hold no place. One that is too large is refused
 * at once, except by operations that do not read it.
 */
function receiveBody(bodies: Bodies, { body, maximumBodyBytes }: Operation): RequestHandler {
  return (request, _response, next) => {
    const isRead = () => body === 'bytes' || (body === 'json' && isJson(request));
    const go = () => {
      if (isRead()) bodies.bytesOf(request);
      next();
    };
    return bodies.receive(request, maximumBodyBytes)?.then(go) ?? go();
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

/** A route of the service: its handlers run one after the other, and the last one answers. */
export interface Route extends Pick<Operation, 'method' | 'path'> {
  handlers: RequestHandler[];
}

/**
 * Returns one route for each operation of the document, fixed paths before matching templates. Checks run in this order:
 * size of the body, access (credential, permission, tenant), JSON syntax, schema; then the handler runs. Until access is
 * granted, a body is only bytes. Throws if operations and endpoints do not match one to one.
 */
export function endpointRoutes<Access, Context>(options: MountOptions<Access, Context>): Route[] {
  const { document, authorize, validateResponses, bodies = new Bodies() } = options;
  const contexts = new WeakMap<Response, Context>();
  const bytes = new WeakMap<Request, Buffer>();
  // Not in `request.body`: the validator cannot check bytes.
  const keepBytes = usingBytes(bodies, (body, request) => bytes.set(request, body));
  const validated = validatedDocument(document);
  const refuseUnknownQuery = refuseUnknownQueryParameters(document);

  return pair(options).map(({ operation, endpoint }) => {
    const access: RequestHandler = async (request, response, next) => {
      contexts.set(response, await authorize(endpoint.access, request, response));
      next();
    };

    const send = validateResponses || operation.method === 'get' ? sendThroughExpress : sendDirectly;
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
      send(response, await endpoint.handle(input as never));
    };

    // The body of a GET has no meaning (RFC 9110, section 9.3.1).
    const mayHaveBody = operation.method !== 'get';
    const read = {
      none: mayHaveBody ? [refuseUnwantedBody(bodies)] : [],
      json: [jsonBody(bodies, operation), dropAbsentMembers(document, operation)],
      bytes: [keepBytes],
    };
    const handlers = [
      recordRoute(operation),
      ...(validateResponses ? [requireListedProblems(document, operation)] : []),
      requireListedPathValues(document, operation.path),
      // Also validates responses that are sent before the schema check.
      ...(validateResponses ? [responseValidator(validated, operation)] : []),
      ...(mayHaveBody ? [receiveBody(bodies, operation)] : []),
      access,
      ...read[operation.body],
      normalizeContentType(operation),
      validateRequests(validated, operation),
      refuseUnknownQuery,
      ...(operation.needsBody ? [requireBody] : []),
      handle,
    ];
    return { method: operation.method, path: operation.path, handlers };
  });
}
