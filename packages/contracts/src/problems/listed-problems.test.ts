import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '../documents';
import { Problem } from './problem';
import { controlPlaneProblems, type ProblemCode, playbackProblems, problemRegistry } from './registry';

interface Response {
  $ref?: string;
  description: string;
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, unknown>;
  'x-problem-codes'?: ProblemCode[];
}

interface ErrorResponse {
  operationId: string;
  status: string;
  response: Response;
}

/** All problem responses of a document, with their operation and status. */
function errorResponses({ paths, components }: OpenApiDocument): ErrorResponse[] {
  const named = (components as { responses?: Record<string, Response> }).responses ?? {};
  const operations = Object.values(paths).flatMap((item) => Object.values(item)) as {
    operationId?: string;
    responses?: Record<string, Response>;
  }[];
  return operations
    .flatMap(({ operationId = '', responses = {} }) =>
      Object.entries(responses).map(([status, response]) => ({
        operationId,
        status,
        response: named[response.$ref?.replace(/^.*\//, '') ?? ''] ?? response,
      })),
    )
    .filter(({ response }) => response.content !== undefined && 'application/problem+json' in response.content);
}

const answersWith = (code: ProblemCode, status: number): boolean => {
  try {
    return new Problem(code, 'Why.', { status }).status === status;
  } catch {
    return false;
  }
};

describe.each([
  ['control plane', controlPlaneDocument, controlPlaneProblems],
  ['playback', playbackDocument, playbackProblems],
])('the error responses of the %s', (_service, document, problems) => {
  const listed = errorResponses(document).flatMap(({ operationId, status, response }) =>
    (response['x-problem-codes'] ?? []).map((code) => ({ operationId, status, code, response })),
  );

  test('list their codes, and each has one status', () => {
    const silent = errorResponses(document).filter(({ response }) => !response['x-problem-codes']?.length);
    expect(silent.map(({ operationId, status }) => `${operationId} ${status}`)).toEqual([]);
    expect(errorResponses(document).filter(({ status }) => !/^[45]\d\d$/.test(status))).toEqual([]);
  });

  test('list only codes of the registry, each with its status', () => {
    const wrong = listed.filter(({ code, status }) => !(code in problems && answersWith(code, Number(status))));
    expect(wrong.map(({ operationId, status, code }) => `${operationId} ${status} ${code}`)).toEqual([]);
  });

  test('together list every code of the registry', () => {
    expect([...new Set(listed.map(({ code }) => code))].sort()).toEqual(Object.keys(problems).sort());
  });

  test('declare Retry-After if one of their codes is retryable, and require it if all are', () => {
    const declared = errorResponses(document).map(({ operationId, status, response }) => {
      const { 'Retry-After': header } = response.headers ?? {};
      return [`${operationId} ${status}`, header === undefined ? 'absent' : header.required ? 'always' : 'sometimes'];
    });
    const expected = errorResponses(document).map(({ operationId, status, response }) => {
      const codes = response['x-problem-codes'] ?? [];
      const retryable = codes.filter((code) => problemRegistry[code].retryable).length;
      return [
        `${operationId} ${status}`,
        retryable === 0 ? 'absent' : retryable === codes.length ? 'always' : 'sometimes',
      ];
    });
    expect(declared).toEqual(expected);
  });

  test('name the listed codes, and no others, in their descriptions', () => {
    const named = errorResponses(document).map(({ operationId, status, response }) => {
      const words = [...response.description.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
      return [`${operationId} ${status}`, words.filter((word) => word in problems).sort()];
    });
    const expected = errorResponses(document).map(({ operationId, status, response }) => [
      `${operationId} ${status}`,
      [...(response['x-problem-codes'] ?? [])].sort(),
    ]);
    expect(named).toEqual(expected);
  });
});
