import type { Schema } from './arbitrary-of';

/** A parameter in a document. */
export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

/** The part of an operation that fuzzing reads. */
export interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: { 'application/json': { schema: Schema } } };
  responses: Record<string, unknown>;
}

/** An OpenAPI document. */
export interface Document {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, unknown>; parameters?: Record<string, unknown> };
}

const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Returns an operation with its method and path. Its parameters include those of its path, with references resolved. */
export function operationOf(
  document: Document,
  operationId: string,
): { method: string; path: string; operation: Operation } {
  for (const [path, item] of Object.entries(document.paths)) {
    const { parameters = [] } = item as { parameters?: Parameter[] };
    for (const [method, found] of Object.entries(item)) {
      const operation = found as Operation;
      if (!methods.has(method) || operation.operationId !== operationId) continue;
      const named = [...parameters, ...(operation.parameters ?? [])].map((parameter) =>
        parameter.$ref === undefined
          ? parameter
          : (document.components.parameters?.[parameter.$ref.replace(/^.*\//, '')] as Parameter),
      );
      return { method, path, operation: { ...operation, parameters: named } };
    }
  }
  throw new Error(`${operationId} is not in the document`);
}
