import type { OpenApiDocument } from '@multi-drm/contracts';

interface MediaType {
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, MediaType> }>;
}

/** An example of a JSON body, and where it stands. */
export interface BodyExample {
  operationId: string;
  /** The status of an answer; undefined for a request. */
  status: string | undefined;
  name: string;
  value: unknown;
}

/** Every example of a JSON body in a document: of requests, and of answers that succeed. */
export function bodyExamples(document: OpenApiDocument): BodyExample[] {
  const shared = (document.components as { examples?: Record<string, { value: unknown }> }).examples ?? {};
  const examplesOf = (operationId: string, status: string | undefined, content?: Record<string, MediaType>) =>
    Object.entries(content?.['application/json']?.examples ?? {}).map(([name, { $ref, value }]) => ({
      operationId,
      status,
      name,
      value: $ref === undefined ? value : shared[$ref.replace('#/components/examples/', '')]?.value,
    }));
  return Object.values(document.paths)
    .flatMap((item) => Object.values(item) as Operation[])
    .filter(({ operationId }) => operationId !== undefined)
    .flatMap(({ operationId, requestBody, responses }) => [
      ...examplesOf(operationId, undefined, requestBody?.content),
      ...Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([status, { content }]) => examplesOf(operationId, status, content)),
    ]);
}
