/** An object of an OpenAPI document: a schema, or anything that schemas stand in. */
export type DocumentNode = Record<string, unknown>;

const isObject = (value: unknown): value is DocumentNode => typeof value === 'object' && value !== null;

/** Every object of an OpenAPI document but those of its examples, which are data and may look like schemas. */
export function* documentNodes(value: unknown): Generator<DocumentNode> {
  if (!isObject(value)) return;
  if (!Array.isArray(value)) yield value;
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') yield* documentNodes(member);
  }
}
