import fc from 'fast-check';

/** The part of JSON Schema that the OpenAPI documents use in requests. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  minProperties?: number;
  maxProperties?: number;
  allOf?: Schema[];
  oneOf?: Schema[];
  if?: Schema;
  then?: Schema;
}

export interface SchemaContext {
  /** The schemas of the document, by name. */
  schemas: Record<string, Schema>;
  /** Values that get further than random ones, such as ids of existing records, by member name; undefined omits the member. */
  hints: Record<string, unknown[]>;
}

/** One code point each, so that lengths match those of JSON Schema; no control characters except tab and line feed. */
const characters = [...'aZ09 .-/\\\'"<>&%$}{:;,é中\u{1f600}\t\n'];
const character = fc.constantFrom(...characters);

/** Longer arrays would only take more time. */
const longestArray = 4;

const text = ({ minLength = 0, maxLength = 40 }: Schema) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: character, minLength, maxLength: Math.min(maxLength, minLength + 20) }) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(Math.max(minLength, 1)), 'x'.repeat(maxLength)) },
  );

const byFormat: Record<string, (schema: Schema) => fc.Arbitrary<string>> = {
  text,
  uuid: () => fc.uuid(),
  email: () => fc.emailAddress({ size: 'small' }),
  uri: () => fc.webUrl(),
  'http-url': () => fc.webUrl({ withQueryParameters: true }),
  'language-tag': () => fc.constantFrom('en', 'de-CH', 'zh-Hant-TW', 'sr-Latn-RS-ekavsk', 'x-private'),
  // Its limits are in bytes of UTF-8.
  'content-id': () => fc.oneof(text({ minLength: 1 }), fc.constantFrom('é'.repeat(100), 'x'.repeat(200))),
  'date-time': () =>
    fc
      .date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  'random-key': () =>
    fc.uint8Array({ minLength: 16, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  'audit-action': () => fc.constantFrom('contentAsset.publish', 'project.create', 'x.y'),
  'page-limit': () => fc.integer({ min: 1, max: 200 }).map(String),
  'page-offset': () => fc.integer({ min: 0, max: 2_147_483_647 }).map(String),
};

function stringOf(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const ofFormat = format === undefined ? undefined : byFormat[format];
  if (format !== undefined && ofFormat === undefined) throw new Error(`the format ${format} is not supported`);
  const matches = new RegExp(pattern ?? '', 'u');
  const made = ofFormat?.(schema) ?? (pattern === undefined ? text(schema) : fc.stringMatching(matches));
  return made.filter((value) => {
    const { length } = [...value];
    return length >= minLength && length <= maxLength && matches.test(value);
  });
}

function arrayOf({ items = {}, minItems = 0, maxItems = longestArray, uniqueItems }: Schema, context: SchemaContext) {
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, longestArray)) };
  const item = arbitraryOf(items, context);
  return uniqueItems
    ? fc.uniqueArray(item, { ...bounds, selector: (value) => JSON.stringify(value) })
    : fc.array(item, bounds);
}

function objectOf(schema: Schema, context: SchemaContext): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [], additionalProperties = true, minProperties = 0, maxProperties = 3 } = schema;
  const members = Object.entries(properties).map(([name, member]) => [name, hinted(name, member, context)] as const);
  const known = fc.record(Object.fromEntries(members), {
    requiredKeys: required.filter((name) => Object.hasOwn(properties, name)),
  });
  if (additionalProperties === false) return known.filter((value) => Object.keys(value).length >= minProperties);
  const name = stringOf({ minLength: 1, ...schema.propertyNames }).filter((other) => !Object.hasOwn(properties, other));
  const value =
    additionalProperties === true
      ? fc.jsonValue({ maxDepth: 2, stringUnit: character })
      : arbitraryOf(additionalProperties, context);
  const others = fc.dictionary(name, value, { maxKeys: Math.min(maxProperties, 3) });
  return fc.tuple(known, others).map(([first, second]) => ({ ...second, ...first }));
}

function ofType(type: string, schema: Schema, context: SchemaContext): fc.Arbitrary<unknown> {
  const { minimum = -1_000_000, maximum = 1_000_000 } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'string':
      return stringOf(schema);
    case 'array':
      return arrayOf(schema, context);
    case 'object':
      return objectOf(schema, context);
    default:
      throw new Error(`the type ${type} is not supported`);
  }
}

/** Returns values that match a schema. */
export function arbitraryOf(schema: Schema, context: SchemaContext): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const named = context.schemas[schema.$ref.replace(/^.*\//, '')];
    if (named === undefined) throw new Error(`${schema.$ref} is not in the document`);
    return arbitraryOf(named, context);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  // Each condition is for one form: its `then` describes the whole form.
  const forms = schema.oneOf ?? schema.allOf?.flatMap(({ then }) => then ?? []) ?? [];
  if (forms.length > 0) return fc.oneof(...forms.map((form) => arbitraryOf(form, context)));
  if (schema.allOf !== undefined) {
    return fc
      .tuple(...schema.allOf.map((part) => arbitraryOf(part, context)))
      .map((parts): unknown => Object.assign({}, ...parts));
  }
  // Numbers in a query are strings with a format.
  const types = [schema.type ?? 'object'].flat().filter((type) => type !== 'integer' || schema.format === undefined);
  return fc.oneof(...types.map((type) => ofType(type, schema, context)));
}

/** Returns values of a member or parameter, mostly from the hints. */
export function hinted(name: string, schema: Schema, context: SchemaContext): fc.Arbitrary<unknown> {
  const made = arbitraryOf(schema, context);
  const known = Object.hasOwn(context.hints, name) ? (context.hints[name] ?? []) : [];
  if (known.length === 0) return made;
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: made });
}
