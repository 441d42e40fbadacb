import type { OpenApiDocument } from '../documents';
import { invalidRequest, Problem, problemDocument } from '../problems/problem';
import { type ProblemCode, problemRegistry } from '../problems/registry';

interface Parameter {
  $ref?: string;
  name: string;
  example?: unknown;
}

interface ErrorResponse {
  'x-problem-codes'?: ProblemCode[];
  headers?: Record<string, object>;
  content?: Record<string, object>;
}

/** Where a response of `components` is used: the status, and the path with the examples of its parameters. */
interface Use {
  status: number;
  instance: string;
}

const problemType = 'application/problem+json';
const requestId = '5b0e7d3c-2f0a-4c55-9d0e-6f1c0a7f2b11';

/** Members that a code has in addition to those of every problem. */
const ownMembers: Partial<Record<ProblemCode, Record<string, unknown>>> = {
  concurrent_stream_limit_reached: {
    limit: 1,
    activeSessions: [
      {
        sessionId: '40194a3b-314a-45ae-9489-59a1b58e9af3',
        contentId: 'demo-movie',
        applicationId: null,
        clientPlatform: 'web',
        startedAt: '2026-11-28T14:32:54.960Z',
        expiresAt: '2026-11-28T14:33:44.960Z',
      },
    ],
  },
};

/** Adds an example of each problem to every error response, and one of `Retry-After`, from the problem registry. */
export function withProblemExamples(document: OpenApiDocument): OpenApiDocument {
  const constants = constantMembers(document);
  const examples: Record<string, unknown> = {};
  const responses = Object.entries(document.components.responses ?? {}).map(([name, found]) => {
    const response = found as ErrorResponse;
    const { 'x-problem-codes': codes = [], headers, content = {} } = response;
    const use = useOf(document, name);
    if (codes.length === 0 || use === undefined) return [name, response];
    const references = codes.map((code) => {
      const example = use.status === problemRegistry[code].status ? code : `${code}_${use.status}`;
      examples[example] ??= { summary: problemRegistry[code].title, value: { ...problemOf(code, use), ...constants } };
      return [code, { $ref: `#/components/examples/${example}` }];
    });
    const problemContent = { ...content[problemType], examples: Object.fromEntries(references) };
    return [
      name,
      {
        ...response,
        ...(headers && { headers: withRetryAfter(headers, codes) }),
        content: { ...content, [problemType]: problemContent },
      },
    ];
  });
  const components = {
    ...document.components,
    examples: { ...document.components.examples, ...examples },
    responses: Object.fromEntries(responses),
  };
  return { ...document, components };
}

function problemOf(code: ProblemCode, { status, instance }: Use) {
  const problem =
    code === 'invalid_request'
      ? invalidRequest({ subject: ['is required'] })
      : new Problem(code, `${problemRegistry[code].title}.`, { status, members: ownMembers[code] ?? {} });
  return problemDocument(problem, { requestId, instance });
}

/** The members whose value is the same in every problem of the document, such as the version of the contract. */
function constantMembers({ components }: OpenApiDocument): Record<string, unknown> {
  const { ProblemDetails } = components.schemas as {
    ProblemDetails?: { properties?: Record<string, { const?: unknown }> };
  };
  const constant = Object.entries(ProblemDetails?.properties ?? {}).filter(([, schema]) => schema.const !== undefined);
  return Object.fromEntries(constant.map(([name, schema]) => [name, schema.const]));
}

function withRetryAfter(headers: Record<string, object>, codes: ProblemCode[]): Record<string, object> {
  const { 'Retry-After': header } = headers;
  const seconds = codes.map((code) => problemRegistry[code].retryAfterSeconds).find((found) => found !== null);
  if (header === undefined || seconds === undefined) return headers;
  return { ...headers, 'Retry-After': { ...header, example: String(seconds) } };
}

/** The first use of a response of `components`. A code has the same status wherever the response is used. */
function useOf(document: OpenApiDocument, name: string): Use | undefined {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item)) {
      const { responses = {} } = operation as { responses?: Record<string, { $ref?: string }> };
      const use = Object.entries(responses).find(([, { $ref }]) => $ref === `#/components/responses/${name}`);
      if (use !== undefined) return { status: Number(use[0]), instance: filledPath(document, path) };
    }
  }
  return undefined;
}

function filledPath({ paths, components }: OpenApiDocument, path: string): string {
  const parameters = ((paths[path]?.parameters ?? []) as Parameter[]).map(({ $ref, ...own }) =>
    $ref === undefined ? own : (components.parameters?.[$ref.replace(/^.*\//, '')] as Parameter),
  );
  return path.replaceAll(/\{(\w+)\}/g, (place, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.example ?? place),
  );
}
