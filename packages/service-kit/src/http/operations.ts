import type { OpenApiDocument } from '@multi-drm/contracts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Operation {
  operationId: string;
  method: Method;
  /** As in the document: `/api/v1/projects/{projectId}`. */
  path: string;
  /** The kind of body: `bytes` (any content type) where the document says `application/octet-stream`. */
  body: 'none' | 'json' | 'bytes';
  needsBody: boolean;
  /** `x-maximum-bytes` of its body: the size of the body, if less than that of all others. */
  maximumBodyBytes: number | undefined;
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
          maximumBodyBytes: requestBody?.['x-maximum-bytes'],
          bodySchema: requestBody?.content['application/json']?.schema,
          calledBy,
        };
      }),
  );
}

interface DocumentedOperation {
  operationId: string;
  requestBody?: { required?: boolean; 'x-maximum-bytes'?: number; content: Record<string, { schema?: unknown }> };
  'x-called-by'?: CalledBy;
}

function bodyOf(requestBody: DocumentedOperation['requestBody']): Operation['body'] {
  if (requestBody === undefined) return 'none';
  return 'application/octet-stream' in requestBody.content ? 'bytes' : 'json';
}

/**
 * Returns the pattern of a path of the document, such as `/things/{name}`, with a group for each parameter. Like Express, it matches any
 * letter case and a trailing slash. Values are as spelled in the path.
 */
export function pathPattern(path: string): RegExp {
  const source = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}/?$`, 'i');
}
