import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '../documents';

interface Response {
  $ref?: string;
  headers?: Record<string, { required?: boolean }>;
}

/** All 401 responses of a document, by operation id. */
function unauthorized({ paths, components }: OpenApiDocument): [string, Response][] {
  const named = (components as { responses?: Record<string, Response> }).responses ?? {};
  const operations = Object.values(paths).flatMap((item) => Object.values(item)) as {
    operationId?: string;
    responses?: Record<string, Response>;
  }[];
  return operations.flatMap(({ operationId = '', responses }) => {
    const response = responses?.['401'];
    if (response === undefined) return [];
    return [[operationId, named[response.$ref?.replace(/^.*\//, '') ?? ''] ?? response]];
  });
}

test.each([...unauthorized(controlPlaneDocument), ...unauthorized(playbackDocument)])(
  'the 401 of %s declares WWW-Authenticate',
  (_operationId, { headers }) => {
    expect(headers?.['WWW-Authenticate']).toMatchObject({ required: true });
  },
);
