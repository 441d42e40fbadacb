import type { OpenApiDocument } from '../documents';
import type { ProblemCode } from './registry';

interface Response {
  $ref?: string;
  'x-problem-codes'?: ProblemCode[];
}

/** Returns the codes of every problem that an operation may answer with, as its OpenAPI document lists them. Throws for an unknown operation. */
export function problemCodesOf({ paths, components }: OpenApiDocument, operationId: string): ProblemCode[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item)) as {
    operationId?: string;
    responses?: Record<string, Response>;
  }[];
  const operation = operations.find((each) => each.operationId === operationId);
  if (operation === undefined) throw new TypeError(`there is no operation ${operationId}`);
  const named = (components.responses ?? {}) as Record<string, Response>;
  const responses = Object.values(operation.responses ?? {}).map(
    (response) => named[response.$ref?.replace(/^.*\//, '') ?? ''] ?? response,
  );
  return [...new Set(responses.flatMap((response) => response['x-problem-codes'] ?? []))];
}
