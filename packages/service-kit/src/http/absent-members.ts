import type { OpenApiDocument } from '@multi-drm/contracts';

/** The subset of JSON Schema that this module reads. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  if?: Schema;
  then?: Schema;
  'x-empty-is-absent'?: boolean;
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a function that removes absent values from a request body, at every level: a member that is null where its
 * schema neither allows null nor requires the member; and null, an empty string or an empty object where the schema
 * says `x-empty-is-absent`. Unknown members and array items stay, so that the validator can report them.
 */
export function absentMembersOf(document: OpenApiDocument, schema: unknown): (body: unknown) => unknown {
  const resolve = (found: Schema): Schema[] =>
    found.$ref === undefined ? [found] : [found, ...resolve(at(document, found.$ref))];

  /** The parts of a schema that apply to this value, with references resolved. */
  const partsFor = (value: unknown, found: Schema): Schema[] =>
    resolve(found).flatMap((part) => [
      part,
      ...(part.allOf ?? []).flatMap((other) => partsFor(value, other)),
      ...[...(part.oneOf ?? []), ...(part.anyOf ?? [])]
        .filter((other) => mayBe(value, other))
        .flatMap((other) => partsFor(value, other)),
      ...(part.if !== undefined && part.then !== undefined && mayBe(value, part.if) ? partsFor(value, part.then) : []),
    ]);

  /** Whether a value can match this schema, judged by its constants, such as a discriminating `type`. */
  const mayBe = (value: unknown, form: Schema): boolean =>
    resolve(form).every((part) =>
      Object.entries(part.properties ?? {}).every(
        ([name, { const: constant }]) => constant === undefined || (isObject(value) && value[name] === constant),
      ),
    );

  const takesNull = (found: Schema): boolean =>
    resolve(found).every((part) => {
      if (part.const !== undefined) return part.const === null;
      if (part.enum !== undefined) return part.enum.includes(null);
      if (part.type !== undefined) return [part.type].flat().includes('null');
      const others = part.oneOf ?? part.anyOf;
      return (part.allOf ?? []).every(takesNull) && (others === undefined || others.some(takesNull));
    });

  const isAbsent = (value: unknown, schemas: Schema[]): boolean => {
    if (value === null && !schemas.every(takesNull)) return true;
    const isEmpty = value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
    return isEmpty && schemas.flatMap(resolve).some((part) => part['x-empty-is-absent'] === true);
  };

  const withoutAbsent = (value: unknown, schemas: Schema[]): unknown => {
    const parts = schemas.flatMap((found) => partsFor(value, found));
    if (Array.isArray(value)) {
      const itemSchemas = parts.flatMap(({ items }) => items ?? []);
      return value.map((item) => withoutAbsent(item, itemSchemas));
    }
    if (!isObject(value)) return value;
    const kept = Object.entries(value).flatMap(([name, member]) => {
      const memberSchemas = parts.flatMap((part) => memberSchema(part, name) ?? []);
      const cleaned = withoutAbsent(member, memberSchemas);
      const isRequired = parts.some(({ required }) => required?.includes(name));
      return isAbsent(cleaned, memberSchemas) && !isRequired ? [] : [[name, cleaned] as const];
    });
    return Object.fromEntries(kept);
  };

  return (body) => (mayHaveAbsent(body) ? withoutAbsent(body, [schema as Schema]) : body);
}

/** Whether there is a null, an empty string or an empty object anywhere in a body: nothing else is ever removed. */
function mayHaveAbsent(value: unknown): boolean {
  if (value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  const members = Object.values(value);
  return (members.length === 0 && !Array.isArray(value)) || members.some(mayHaveAbsent);
}

/** Returns the schema of an object's member, or undefined if there is none. */
function memberSchema({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Resolves a reference within the document (RFC 6901). */
function at(document: OpenApiDocument, reference: string): Schema {
  const names = reference.split('/').slice(1);
  const found = names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document);
  if (!isObject(found)) throw new Error(`${reference} is not in the document`);
  return found;
}
