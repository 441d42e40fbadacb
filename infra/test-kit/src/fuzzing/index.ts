import { Agent } from 'node:http';
import fc from 'fast-check';
import { arbitraryOf, hinted, type Schema, type SchemaContext } from './arbitrary-of';
import { timesAsMany } from './extent';
import { type FoundSeed, foundSeeds, keepSeed } from './found-seeds';
import { hostileHeaders, hostileSegments, mutated } from './mutations';
import { type Document, type Operation, operationOf, type Parameter } from './operation';
import { type FuzzAnswer, type FuzzRequest, send } from './send';

export { someOf, timesAsMany } from './extent';
export { type FuzzRequest, send } from './send';
export {
  families,
  stallsOf,
  worstRequests,
  worstRequestsOfAny,
  worstTarget,
} from './worst-requests';

interface FuzzOptions {
  document: Document;
  operationId: string;
  /** The origin of the service under test. */
  origin: string;
  /** Headers of a caller that may call the operation. */
  credentials: Record<string, string>;
  /** Headers of other callers. */
  otherCredentials: Record<string, string>[];
  /** Values that get further than random ones, by name of the path, query or header parameter. */
  parameters: Record<string, unknown[]>;
  /** The same for members of the body; undefined omits a member. */
  members: SchemaContext['hints'];
  /** Fields with rules beyond their schemas: only for these may a documented request be rejected as invalid. */
  unstated: RegExp;
  /** The status of each problem code of the service. */
  problems: Record<string, { status: number }>;
  /** The number of documented requests, and of mutated ones. */
  runs: number;
}

/** Every run sends the same requests. FUZZ_SEED selects others; FUZZ_RUNS multiplies their number. */
const seedOfEveryRun = 20_260_301;
const { FUZZ_SEED: givenSeed } = process.env;

/** Words about the service's dependencies or code that must not appear in problems. */
const internals =
  /node_modules|\/src\/|\.[jt]s:\d|\n\s+at |\b(?:TypeError|RangeError|ECONN\w+|redis|ioredis|lua|prisma|postgres(?:ql)?|pg_\w+|sqlstate|ajv|zod|hexists|relation)\b/i;

const none = fc.constant(null);
const json = 'application/json';

/** Returns documented requests of an operation (`asDocumented`), or mutated ones. */
function requestsOf(options: FuzzOptions, asDocumented: boolean): fc.Arbitrary<FuzzRequest> {
  const { document, credentials, otherCredentials, parameters, members } = options;
  const { method, path, operation } = operationOf(options.document, options.operationId);
  const schemas = document.components.schemas as Record<string, Schema>;
  /** Mostly documented values, so that one error does not hide another. */
  const or = <Value>(documented: fc.Arbitrary<Value>, hostile: fc.Arbitrary<Value>, weight = 1) =>
    asDocumented ? documented : fc.oneof({ weight: 8, arbitrary: documented }, { weight, arbitrary: hostile });

  const textOf = ({ name, schema }: Parameter) => hinted(name, schema, { schemas, hints: parameters }).map(String);
  const within = (place: string) => (operation.parameters ?? []).filter((parameter) => parameter.in === place);

  const segments = fc.record(
    Object.fromEntries(
      within('path').map((parameter) => [
        parameter.name,
        or(textOf(parameter).map(encodeURIComponent), fc.constantFrom(...hostileSegments)),
      ]),
    ),
  );
  const query = fc.record(
    Object.fromEntries(
      within('query').map((parameter) => [
        parameter.name,
        or(textOf(parameter).map(encodeURIComponent), fc.constantFrom(...hostileSegments), 4),
      ]),
    ),
    { requiredKeys: within('query').flatMap(({ name, required }) => (required ? name : [])) },
  );
  const names = [...within('query').map(({ name }) => name), 'unknown'];
  const stray = fc
    .tuple(fc.constantFrom(...names, '__proto__', '%00', '%ff', '%'), fc.constantFrom(...hostileSegments))
    .chain(([name, value]) =>
      fc.constantFrom(`${name}=${value}`, name, `${name}[]=${value}`, `${name}[a]=1&${name}=2`, `&&=&${name}==`),
    );
  const strays = or<string | null>(none, stray, 2);

  const headers = fc.record(
    Object.fromEntries(
      within('header').map((parameter) => {
        // Only what a header can contain; whitespace at its ends is not part of the value.
        const printable = textOf(parameter).filter((value) => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value));
        return [parameter.name, or(printable, fc.constantFrom(...hostileHeaders), 4)];
      }),
    ),
    { requiredKeys: within('header').flatMap(({ name, required }) => (required ? name : [])) },
  );
  const strangers = fc.constantFrom(...otherCredentials, ...hostileHeaders.map((Authorization) => ({ Authorization })));
  const caller = or<Record<string, string>>(fc.constant(credentials), strangers);

  const { requestBody } = operation;
  const schema = requestBody?.content[json].schema;
  const values =
    schema === undefined ? fc.jsonValue({ maxDepth: 2 }) : arbitraryOf(schema, { schemas, hints: members });
  const documentedBody = values.map((value): Buffer | null => Buffer.from(JSON.stringify(value)));
  const body = asDocumented
    ? requestBody === undefined
      ? none
      : requestBody.required
        ? documentedBody
        : fc.option(documentedBody)
    : fc.oneof(
        { weight: 12, arbitrary: mutated(values, schemas) },
        { weight: 4, arbitrary: documentedBody },
        { weight: 1, arbitrary: none },
      );
  const type = or<string | null>(
    fc.constant(json),
    fc.constantFrom(
      null,
      'text/plain;charset=UTF-8',
      `${json}; charset=utf-16`,
      'multipart/form-data',
      'a',
      ';',
      '',
      `${json};`,
    ),
  );

  return fc
    .record({ segments, query, strays, headers, caller, body, type })
    .map(({ segments, query, strays, headers, caller, body, type }) => {
      const given = [
        ...Object.entries(query).map(([name, value]) => `${name}=${value}`),
        ...((strays ?? '') ? [strays] : []),
      ];
      return {
        method: method.toUpperCase(),
        path:
          path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(segments[name])) +
          (given.length > 0 ? `?${given.join('&')}` : ''),
        headers: { ...headers, ...caller, ...(body !== null && type !== null ? { 'Content-Type': type } : {}) },
        body,
      };
    });
}

/** Returns what is wrong with a response to any request, or undefined. */
function findingIn({ status, headers, text }: FuzzAnswer, operation: Operation, problems: FuzzOptions['problems']) {
  if (status >= 500) return 'the service failed';
  if (status < 300) {
    return Object.hasOwn(operation.responses, String(status)) ? undefined : 'the response is not documented';
  }
  if (!/^application\/problem\+json(?:;|$)/.test(String(headers['content-type'])))
    return 'the body is not a problem document';
  // The instance is the path of the request, in which the caller may write anything.
  const { instance: _, ...members } = JSON.parse(text) as Record<string, unknown>;
  if (internals.test(JSON.stringify(members))) return 'the problem reveals internals';
  const { code, requestId, status: inBody, errors } = members;
  if (typeof code !== 'string' || !Object.hasOwn(problems, code)) return 'the code is not registered';
  if (problems[code]?.status !== status || inBody !== status) return 'the status is not that of the code';
  if (typeof requestId !== 'string' || requestId !== headers['x-request-id'])
    return 'the request id is missing or wrong';
  if (code !== 'invalid_request') return undefined;
  const fields = Object.entries((errors ?? {}) as Record<string, unknown>);
  const named = fields.every(([, messages]) => Array.isArray(messages) && messages.length > 0);
  return fields.length > 0 && named ? undefined : 'the problem names no field';
}

/** Returns a finding if an invalid_request names a field that is not among the exceptions. */
function wrongRejectionIn({ text }: FuzzAnswer, unstated: RegExp): string | undefined {
  const { errors = {} } = JSON.parse(text) as { errors?: Record<string, unknown> };
  const stated = Object.keys(errors).find((field) => !unstated.test(field));
  return stated === undefined ? undefined : `a documented value of ${stated} is rejected`;
}

/**
 * Sends documented and mutated requests to an operation. Fails, with the smallest request it finds, if a response is not documented or
 * a documented request is rejected as invalid. Also fails if none of the requests of every run succeeds, because then nothing
 * behind the first checks was tested.
 */
export async function fuzzOperation(options: FuzzOptions): Promise<void> {
  const { operation } = operationOf(options.document, options.operationId);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let successes = 0;
  const holds = (asDocumented: boolean) => async (request: FuzzRequest) => {
    const answer = await send(options.origin, agent, request);
    if (answer.status < 300) successes += 1;
    const finding =
      findingIn(answer, operation, options.problems) ??
      (asDocumented && answer.status === 400 ? wrongRejectionIn(answer, options.unstated) : undefined);
    if (finding !== undefined) throw new Error(`${finding}: ${answer.status} ${answer.text}\n${shown(request)}`);
  };
  const ask = async ({ seed, runs }: FoundSeed) => {
    for (const asDocumented of [true, false]) {
      const property = fc.asyncProperty(requestsOf(options, asDocumented), holds(asDocumented));
      await fc.assert(property, { numRuns: runs, seed });
    }
  };
  const next = { seed: Number(givenSeed ?? seedOfEveryRun), runs: options.runs * timesAsMany };
  try {
    for (const found of foundSeeds(options.operationId)) await ask(found);
    await ask(next).catch((error: unknown) => {
      if (givenSeed !== undefined) keepSeed(options.operationId, next);
      throw error;
    });
  } finally {
    agent.destroy();
  }
  // With other seeds, no request may succeed by chance.
  if (successes === 0 && givenSeed === undefined) throw new Error(`no request of ${options.operationId} succeeded`);
}

function shown({ method, path, headers, body }: FuzzRequest): string {
  return `${method} ${path} ${JSON.stringify(headers)}\n${body?.toString() ?? ''}`;
}
