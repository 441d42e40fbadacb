import type { OpenApiDocument } from '@multi-drm/contracts';

interface Reference {
  $ref: string;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  example?: unknown;
}

interface Example {
  value: unknown;
  /** Parameter values for this example, which replace the examples of the parameters. */
  'x-parameters'?: Record<string, string>;
}

type Content = Record<string, { examples?: Record<string, Example | Reference> }>;

interface Operation {
  operationId: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content } | Reference>;
}

/** A request from the document's examples, ready to be sent, with its documented response. */
export interface DocumentExample {
  operationId: string;
  /** The name of the body's example, or `request` if there is no body. */
  name: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path and query with the examples of their parameters. */
  url: string;
  headers: Record<string, string>;
  /** The body and its content type, if any. */
  body?: { type: string; value: unknown };
  /** The success status. */
  status: number;
  /** The body of the response; undefined if there is none or if it is bytes. */
  answer?: unknown;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Returns every example of a document: one for each example of an operation's body, or one without a body. Parameters without an
 * example are omitted, except that path parameters must have one.
 */
export function documentExamples(document: OpenApiDocument): DocumentExample[] {
  const resolve = <T extends object>(node: T | Reference): T => {
    if (!('$ref' in node)) return node;
    const found = node.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((parent, key) => (parent as Record<string, unknown>)[key], document);
    return resolve(found as T | Reference);
  };
  const examplesIn = (content: Content = {}) =>
    Object.entries(content).flatMap(([type, { examples = {} }]) =>
      Object.entries(examples).map(([name, example]) => ({ type, name, example: resolve(example) })),
    );

  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (operation === undefined) return [];
      const shared = (item.parameters ?? []) as (Parameter | Reference)[];
      const parameters = [...shared, ...(operation.parameters ?? [])].map((parameter) => resolve(parameter));
      const [status = '', response] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
      const answers = examplesIn(response && resolve(response).content);
      const bodies = examplesIn(operation.requestBody?.content);
      const requests = bodies.length > 0 ? bodies : [undefined];
      return requests.map((body) => {
        const values = Object.fromEntries(
          parameters.map(({ name, example }) => [name, body?.example['x-parameters']?.[name] ?? example]),
        );
        const given = (place: Parameter['in']) =>
          parameters.filter(({ name, in: where }) => where === place && values[name] !== undefined);
        const query = new URLSearchParams(
          Object.fromEntries(given('query').map(({ name }) => [name, String(values[name])])),
        );
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
          if (values[name] === undefined) throw new Error(`${operation.operationId}: ${name} has no example`);
          return encodeURIComponent(String(values[name]));
        });
        const answer = answers.find(({ name }) => name === body?.name) ?? answers[0];
        return {
          operationId: operation.operationId,
          name: body?.name ?? 'request',
          method,
          url: query.size > 0 ? `${filled}?${query}` : filled,
          headers: Object.fromEntries(given('header').map(({ name }) => [name, String(values[name])])),
          ...(body === undefined ? {} : { body: { type: body.type, value: body.example.value } }),
          status: Number(status),
          ...(answer === undefined ? {} : { answer: answer.example.value }),
        };
      });
    }),
  );
}

/** Strings that differ in each call: two of the same form count as equal. */
const formsOfTheCall = [
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, // ids
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, // times
  /^(mk|ak|ci)_[\w-]+$/, // keys and client ids
  /^mk_[\w-]{7}$/, // key prefixes
  /^whsec_[\w+/]{43}=$/, // webhook secrets
  /^[\w-]+\.[\w-]+\.[\w-]+$/, // license tokens
  /^[\w-]{43}$/, // parts and thumbprints of public keys
];

/** An id within a longer text, such as the address of a session. */
const idInText = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const withoutIds = (value: unknown) => String(value).replaceAll(idInText, '<id>');

/** Numbers that are measured in each call. */
const measured = /\/(uptimeSeconds|latencyMilliseconds|durationMilliseconds)$/;

/** Returns the differences between a response and its documented example, by path. */
export function differences(answer: unknown, example: unknown, path = ''): string[] {
  if (typeof answer === 'object' && typeof example === 'object' && answer !== null && example !== null) {
    const names = new Set([...Object.keys(answer), ...Object.keys(example)]);
    return [...names].flatMap((name) =>
      differences(
        (answer as Record<string, unknown>)[name],
        (example as Record<string, unknown>)[name],
        `${path}/${name}`,
      ),
    );
  }
  const sameForm =
    measured.test(path) ||
    withoutIds(answer) === withoutIds(example) ||
    formsOfTheCall.some((form) => form.test(String(answer)) && form.test(String(example)));
  return answer === example || (typeof answer === typeof example && sameForm)
    ? []
    : [`${path}: ${JSON.stringify(answer)} is not ${JSON.stringify(example)}`];
}
