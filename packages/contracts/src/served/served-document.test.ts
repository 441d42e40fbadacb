import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '../documents';
import { type ProblemCode, problemRegistry } from '../problems/registry';
import { servedDocument } from './served-document';

interface Body {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

interface Response {
  headers?: Record<string, { example?: string; schema?: { example?: string } }>;
  content?: Record<string, Body>;
  'x-problem-codes'?: ProblemCode[];
}

interface Operation {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: { in: string; name: string; required?: boolean }[];
  requestBody?: { content: Record<string, Body> };
  responses: Record<string, Response>;
}

/** Copies a part of a document with the references to responses, examples and parameters inlined; those to schemas stay. */
function inlined(document: OpenApiDocument, part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((member) => inlined(document, member));
  const { $ref: reference } = part as { $ref?: string };
  if (reference !== undefined && !reference.startsWith('#/components/schemas/')) {
    const [, kind = '', name = ''] = reference.split('/').slice(1);
    return inlined(
      document,
      (document.components as unknown as Record<string, Record<string, unknown>>)[`${kind}`]?.[name],
    );
  }
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, inlined(document, member)]));
}

function operationsOf(document: OpenApiDocument): Operation[] {
  const items = Object.values(document.paths).flatMap(({ parameters: _ofAll, ...operations }) =>
    Object.values(operations),
  );
  return inlined(document, items) as Operation[];
}

describe.each([
  ['control plane', controlPlaneDocument],
  ['playback', playbackDocument],
])('the served document of the %s', (_service, document) => {
  const operations = operationsOf(servedDocument(document));
  const responses = operations.flatMap(({ operationId, responses: all }) =>
    Object.entries(all).map(([status, response]) => ({
      name: `${operationId} ${status}`,
      status: Number(status),
      response,
    })),
  );
  const errors = responses.filter(({ response }) => response['x-problem-codes'] !== undefined);

  test('has an example of each problem that a response may have', () => {
    const shown = errors.map(({ name, response }) => {
      const { examples = {} } = response.content?.['application/problem+json'] ?? {};
      return [name, Object.entries(examples).map(([code, { value }]) => [code, value])];
    });
    const expected = errors.map(({ name, status, response }) => [
      name,
      response['x-problem-codes']?.map((code) => {
        const { title, retryable } = problemRegistry[code];
        return [code, expect.objectContaining({ code, status, title, retryable })];
      }),
    ]);
    expect(errors.length).toBeGreaterThan(50);
    expect(shown).toEqual(expected);
  });

  test('has an example of every JSON body', () => {
    const bodies = responses.flatMap(({ name, response }) =>
      Object.entries(response.content ?? {}).map(([type, { examples }]) => [`${name} ${type}`, examples] as const),
    );
    const silent = bodies.filter(([name, examples]) => /json$/.test(name) && examples === undefined);
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('has only examples that their schema accepts', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    const compiled = new Map<string, ValidateFunction>();
    const compile = (schema: object): ValidateFunction => {
      const key = JSON.stringify(schema);
      const known = compiled.get(key) ?? ajv.compile({ ...schema, components: document.components });
      compiled.set(key, known);
      return known;
    };
    const bodies = [
      ...operations.map(({ operationId, requestBody }) => [operationId, requestBody?.content ?? {}] as const),
      ...responses.map(({ name, response }) => [name, response.content ?? {}] as const),
    ];
    const refused = bodies.flatMap(([name, content]) =>
      Object.values(content).flatMap(({ schema, examples = {} }) => {
        const validate = compile(schema);
        return Object.entries(examples)
          .filter(([, { value }]) => !validate(value))
          .map(([example]) => `${name} ${example}: ${ajv.errorsText(validate.errors)}`);
      }),
    );
    expect(refused).toEqual([]);
  });

  test('has an example of Retry-After wherever it may be sent', () => {
    const headers = errors.flatMap(({ name, response }) => {
      const { 'Retry-After': header } = response.headers ?? {};
      return header === undefined ? [] : [[name, header.example]];
    });
    expect(headers.filter(([, seconds]) => !/^[1-9]\d*$/.test(seconds ?? ''))).toEqual([]);
    expect(headers.length).toBeGreaterThan(5);
  });

  test('has no example of an optional query parameter, which the API reference would send', () => {
    const sent = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter((parameter) => parameter.in === 'query' && !parameter.required && 'example' in parameter)
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(sent).toEqual([]);
  });

  test('names every header that a call needs as its first security scheme or as a parameter', () => {
    const { securitySchemes = {} } = document.components;
    const dropped = operations.flatMap(({ operationId, security = document.security ?? [], parameters = [] }) => {
      const [, ...others] = Object.keys(security[0] ?? {}).map((name) => securitySchemes[name]?.name ?? name);
      return others
        .filter((header) => !parameters.some(({ in: place, name }) => place === 'header' && name === header))
        .map((header) => `${operationId} ${header}`);
    });
    expect(dropped).toEqual([]);
  });
});

test('the path of a problem is one that gives it, with the examples of its parameters', () => {
  const { examples } = servedDocument(playbackDocument).components;
  expect(examples?.certificate_not_found).toMatchObject({
    value: { instance: '/api/v1/playback/environments/01967f3a-1c00-7a10-8b1e-3d5f7a9c1e03/certificates/fairplay' },
  });
});

test('a code with a second status has an example of each', () => {
  const { examples } = servedDocument(playbackDocument).components;
  expect(examples?.license_backend_unavailable).toMatchObject({ value: { status: 502 } });
  expect(examples?.license_backend_unavailable_504).toMatchObject({ value: { status: 504 } });
});

test('the headers of an API client are one security scheme and one parameter', () => {
  const operations = operationsOf(servedDocument(playbackDocument));
  const headers = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.filter(({ name }) => name.startsWith('X-SERVICE-')).map(({ name }) => [operationId, name]),
  );
  expect(Object.keys(playbackDocument.security?.[0] ?? {})).toEqual(['clientSecret', 'clientId']);
  expect(headers).toEqual([
    ['listPlaybackSessions', 'X-SERVICE-Client-Id'],
    ['createPlaybackSession', 'X-SERVICE-Client-Id'],
    ['evaluatePlaybackSession', 'X-SERVICE-Client-Id'],
    ['releasePlaybackSession', 'X-SERVICE-Client-Id'],
    ['renewPlaybackSession', 'X-SERVICE-Client-Id'],
  ]);
});
