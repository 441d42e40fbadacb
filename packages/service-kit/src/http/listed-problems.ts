import type { OpenApiDocument } from '@multi-drm/contracts';
import type { RequestHandler } from 'express';
import { dereference } from './dereference';

interface DocumentedOperation {
  responses?: Record<string, unknown>;
}

/**
 * Fails a response with a problem code that the operation does not list for its status (`x-problem-codes`). A response
 * without such a list accepts any code. For tests: the error handler throws, and the answer is a 500 that names
 * operation, status and code. The response validator ignores statuses from 500 on; this one does not.
 */
export function requireListedProblems(
  document: OpenApiDocument,
  { operationId, path, method }: { operationId: string; path: string; method: string },
): RequestHandler {
  const { responses = {} } = (document.paths[path]?.[method] ?? {}) as DocumentedOperation;
  const lists = new Map(
    Object.entries(responses).map(([status, response]) => [
      Number(status),
      dereference<{ 'x-problem-codes'?: string[] }>(document, response)['x-problem-codes'],
    ]),
  );
  return (_request, response, next) => {
    const send = response.json.bind(response);
    response.json = (body: { code?: string } | undefined) => {
      const status = response.statusCode;
      const code = body?.code;
      const codes = lists.get(status);
      if (status >= 400 && code !== undefined && !(lists.has(status) && (codes?.includes(code) ?? true))) {
        response.status(500); // otherwise Express keeps the status of the problem
        throw new Error(`${operationId} does not list the problem ${status} ${code} in its OpenAPI document`);
      }
      return send(body);
    };
    next();
  };
}
