import type { OpenApiDocument } from '@multi-drm/contracts';
import { dereference } from './dereference';

/** Copies a part of a document with all references inlined. Throws if a schema contains itself. */
function withoutReferences(document: OpenApiDocument, part: unknown, within: readonly unknown[] = []): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (within.includes(part)) throw new Error('the document has a schema that contains itself');
  if (Array.isArray(part)) return part.map((member) => withoutReferences(document, member, [...within, part]));
  if ('$ref' in part) return withoutReferences(document, dereference(document, part), [...within, part]);
  return Object.fromEntries(
    Object.entries(part).map(([name, member]) => [name, withoutReferences(document, member, [...within, part])]),
  );
}

/** Which part of an operation a validator needs. */
export type OperationPart = 'request' | 'responses';

/**
 * Returns a document with one part of one operation, without references. HEAD is added beside GET, because the
 * validator only knows declared methods.
 */
export function documentOfOperation(
  document: OpenApiDocument,
  { path, method }: { path: string; method: string },
  part: OperationPart,
): OpenApiDocument {
  const { parameters, [method]: whole } = document.paths[path] ?? {};
  const { requestBody, responses, ...operation } = whole as { requestBody?: object; responses: object };
  const own = part === 'responses' ? { responses } : { responses: {}, ...(requestBody && { requestBody }) };
  const copy = () => withoutReferences(document, { ...operation, ...own });
  const item = { ...(method === 'get' ? { head: copy() } : {}), [method]: copy() };
  const shared = parameters === undefined ? {} : { parameters: withoutReferences(document, parameters) };
  return { ...document, paths: { [path]: { ...shared, ...item } }, components: { schemas: {} } };
}

/** Returns the document's paths and methods without their definitions, which is enough to recognize routes. */
export function documentOfRoutes(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, { parameters: _ofAll, ...operations }]) => {
    const methods = Object.keys(operations).flatMap((method) => (method === 'get' ? ['get', 'head'] : [method]));
    return [path, Object.fromEntries(methods.map((method) => [method, { responses: {} }]))];
  });
  return { ...document, paths: Object.fromEntries(paths), components: { schemas: {} } };
}
