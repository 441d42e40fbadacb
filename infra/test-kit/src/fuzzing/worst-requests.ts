import { Agent } from 'node:http';
import type { Schema } from './arbitrary-of';
import { type Document, operationOf } from './operation';
import { type FuzzRequest, send } from './send';
import { headerBytes, stubbornTexts, worstJson, worstMembers } from './worst-texts';

/** An operation and its inputs. */
export interface WorstTarget {
  method: string;
  /** With path parameters filled in. */
  path: string;
  /** Headers of a caller that may call it. */
  headers: Record<string, string>;
  /** The names of its query parameters. */
  query: string[];
  /** The top-level members of its body; empty if there is no body. */
  members: string[];
}

/** Returns an operation of a document as a target. `parameters`: values of its path parameters. */
export function worstTarget(
  document: Document,
  operationId: string,
  given: { headers: Record<string, string>; parameters: Record<string, unknown[]> },
): WorstTarget {
  const { method, path, operation } = operationOf(document, operationId);
  const schemas = document.components.schemas as Record<string, Schema>;
  const membersOf = (schema: Schema): string[] =>
    schema.$ref === undefined
      ? [
          ...Object.keys(schema.properties ?? {}),
          ...[...(schema.allOf ?? []), ...(schema.oneOf ?? [])].flatMap(membersOf),
        ]
      : membersOf(schemas[schema.$ref.replace(/^.*\//, '')] ?? {});
  const schema = operation.requestBody?.content['application/json']?.schema;
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(given.parameters[name]?.[0] ?? 'missing')),
    headers: given.headers,
    query: (operation.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    members: schema === undefined ? [] : [...new Set(membersOf(schema))],
  };
}

/** Returns one operation of each family. A family reads the same members and query parameters, with the same code. */
export function families(document: Document, operationIds: string[]): string[] {
  const byWhatIsRead = new Map(
    operationIds.toReversed().map((operationId) => {
      const { method, query, members } = worstTarget(document, operationId, { headers: {}, parameters: {} });
      return [JSON.stringify([method === 'get', query, members]), operationId];
    }),
  );
  return [...byWhatIsRead.values()].toReversed();
}

/** Requests by a description of what makes them costly. */
type NamedRequests = Record<string, FuzzRequest>;

const texts = Object.entries(stubbornTexts);

/** The costliest body for an operation that takes none. */
const unexpectedBody = 'tabs and a brace';

function requestOf({ method, path, headers }: WorstTarget, changed: Partial<FuzzRequest> = {}): FuzzRequest {
  return { method: method.toUpperCase(), path, body: null, ...changed, headers: { ...headers, ...changed.headers } };
}

function bodiesOf(target: WorstTarget, bodies: Record<string, string>): NamedRequests {
  const headers = { 'Content-Type': 'application/json' };
  return Object.fromEntries(
    Object.entries(bodies).map(([name, text]) => [name, requestOf(target, { headers, body: Buffer.from(text) })]),
  );
}

/** Percent-encoded, and no longer than Node accepts. */
const inUrl = (text: string) => encodeURIComponent(text).slice(0, headerBytes).replace(/%.?$/, '');

function urlsOf(target: WorstTarget): NamedRequests {
  const { path, query } = target;
  const queryTexts = query.length === 0 ? [] : texts;
  const bytes = headerBytes / Math.max(query.length, 1);
  return Object.fromEntries([
    ...queryTexts.map(([name, make]) => {
      const given = query.map(
        (parameter) =>
          `${parameter}=${inUrl(make(bytes))
            .slice(0, bytes - 40)
            .replace(/%.?$/, '')}`,
      );
      return [`${name} in the query`, requestOf(target, { path: `${path}?${given.join('&')}` })] as const;
    }),
    [
      'many parameters',
      requestOf(target, { path: `${path}?${Array.from({ length: 3_000 }, (_, nth) => nth).join('&')}` }),
    ],
    ['nested parameters', requestOf(target, { path: `${path}?a${'[a]'.repeat(headerBytes / 3)}=1` })],
    ['slashes in the path', requestOf(target, { path: `${path}${'/'.repeat(headerBytes)}` })],
    ['escapes in the path', requestOf(target, { path: path.replace(/[^/]+$/, '%61'.repeat(headerBytes / 3)) })],
  ]);
}

/** Returns the costliest requests that are specific to an operation. */
export function worstRequests(target: WorstTarget): NamedRequests {
  const { [unexpectedBody]: tabs = '' } = worstJson;
  const bodies = target.members.length > 0 ? worstMembers(target.members) : { [unexpectedBody]: tabs };
  return { ...(target.method === 'get' ? {} : bodiesOf(target, bodies)), ...urlsOf(target) };
}

/** Returns the costliest requests that are the same for all operations: JSON and headers. */
export function worstRequestsOfAny(target: WorstTarget, headerNames: string[]): NamedRequests {
  const inHeaders = headerNames.flatMap((header) =>
    texts.map(([name, make]) => {
      const headers = { 'Content-Type': 'application/json', [header]: make(headerBytes) };
      return [`${name} in ${header}`, requestOf(target, { headers, body: Buffer.from('{}') })] as const;
    }),
  );
  return { ...bodiesOf(target, worstJson), ...Object.fromEntries(inHeaders) };
}

/**
 * How much processor time one request may take on the shared thread, in milliseconds, with the client, the check of the response and
 * the compiler in the same process; enough for a slow processor. The service's own part is at most 20, which the scenario
 * `worst-bodies` measures.
 */
const longestMilliseconds = 250;

/**
 * Sends requests to a service in this process, one at a time. Resolves to those that took too much processor time, which excludes other
 * processes, or that got a server error.
 */
export async function stallsOf(origin: string, requests: NamedRequests): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const stalls: string[] = [];
  const measured = async (request: FuzzRequest) => {
    const before = process.cpuUsage();
    const { status } = await send(origin, agent, request);
    const { user, system } = process.cpuUsage(before);
    return { status, milliseconds: (user + system) / 1_000 };
  };
  try {
    for (const [name, request] of Object.entries(requests)) {
      let { status, milliseconds } = await measured(request);
      // A real stall repeats. A single slow request may be due to compilation or garbage collection.
      for (let repeats = 0; repeats < 4 && status < 500 && milliseconds > longestMilliseconds; repeats += 1) {
        ({ status, milliseconds } = await measured(request));
      }
      if (status >= 500 || milliseconds > longestMilliseconds)
        stalls.push(`${name}: ${Math.round(milliseconds)} ms, ${status}`);
    }
  } finally {
    agent.destroy();
  }
  return stalls;
}
