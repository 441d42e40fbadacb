import type { OpenApiDocument } from '../documents';

interface Parameter {
  in?: string;
  required?: boolean;
  example?: unknown;
}

/**
 * Removes the examples of optional query parameters. The API reference would send each of them, and a list would be filtered by values
 * that no record of the reader has.
 */
export function withoutQueryExamples(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  const parameters = [
    ...Object.values(copy.components.parameters ?? {}),
    ...Object.values(copy.paths).flatMap(({ parameters: sharedParameters, ...operations }) => [
      ...parametersOf({ parameters: sharedParameters }),
      ...Object.values(operations).flatMap(parametersOf),
    ]),
  ] as Parameter[];
  for (const parameter of parameters) if (parameter.in === 'query' && !parameter.required) delete parameter.example;
  return copy;
}

function parametersOf(node: unknown): Parameter[] {
  return (node as { parameters?: Parameter[] }).parameters ?? [];
}
