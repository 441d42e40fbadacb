import type { OpenApiDocument } from '@multi-drm/contracts';
import type { RequestHandler } from 'express';
import { dereference } from './dereference';

interface DocumentedOperation {
  responses?: Record<string, unknown>;
}

/**
 * Fails an answer that is a problem whose code the operation does not list for its status (`x-problem-codes` of the
 * response). A response without such a list takes any code. For tests: the error exit throws, and the answer is a 500 that
 * names operation, status and code. The validator of answers looks at none from 500 on; this does.
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
        response.status(500); // Express would keep the refusal's own
        throw new Error(`${operationId} does not list the problem ${status} ${code} in the openapi spec`);
      }
      return send(body);
    };
    next();
  };
}
