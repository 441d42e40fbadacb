import type { OpenApiDocument } from '@multi-drm/contracts';

type Auth = { type: string; apikey?: { key: string; value: unknown }[] } | null;

interface Item {
  name: string;
  item?: Item[];
  request?: { header?: { key: string }[]; auth?: Auth };
}

/** A Postman collection of openapi-to-postmanv2: folders with one request for each operation. */
export interface PostmanCollection {
  auth?: Auth;
  item: Item[];
}

interface Operation {
  summary: string;
  security?: Record<string, unknown>[];
  parameters?: { $ref?: string; in: string; name: string }[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Lists the headers of a document that a collection lost, as `summary of the operation: header`. An operation needs its header parameters
 * and every scheme of its first security requirement.
 */
export function lostHeaders(document: OpenApiDocument, collection: PostmanCollection): string[] {
  const requests = new Map(requestsOf(collection.item).map((item) => [item.name, item.request]));
  return operationsOf(document).flatMap(({ summary, parameters = [], security = document.security ?? [] }) => {
    const request = requests.get(summary);
    const sent = [
      ...(request?.header ?? []).map(({ key }) => key),
      ...headersOf(request?.auth ?? collection.auth ?? null),
    ];
    const needed = [
      ...parameters.map((parameter) => resolved(document, parameter)).filter(({ in: place }) => place === 'header'),
      ...Object.keys(security[0] ?? {}).map((scheme) => ({ name: headerOfScheme(document, scheme) })),
    ];
    return needed.filter(({ name }) => !sent.includes(name)).map(({ name }) => `${summary}: ${name}`);
  });
}

function requestsOf(items: Item[]): Item[] {
  return items.flatMap((item) => (item.item === undefined ? [item] : requestsOf(item.item)));
}

function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.values(paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) => (methods.includes(method) ? [operation as Operation] : [])),
  );
}

function resolved({ components }: OpenApiDocument, parameter: NonNullable<Operation['parameters']>[number]) {
  const { $ref: reference } = parameter;
  return (reference && components.parameters?.[reference.replace(/^.*\//, '')]) || parameter;
}

function headerOfScheme({ components }: OpenApiDocument, scheme: string): string {
  const { type, name = scheme } = components.securitySchemes?.[scheme] ?? {};
  return type === 'http' ? 'Authorization' : name;
}

function headersOf(auth: Auth): string[] {
  if (auth?.type === 'bearer') return ['Authorization'];
  return (auth?.apikey ?? []).filter(({ key }) => key === 'key').map(({ value }) => String(value));
}
