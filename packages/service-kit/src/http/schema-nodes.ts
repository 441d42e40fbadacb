/** An object of an OpenAPI document: a schema, or something that contains schemas. */
export type DocumentNode = Record<string, unknown>;

const isObject = (value: unknown): value is DocumentNode => typeof value === 'object' && value !== null;

/** Yields every object of an OpenAPI document except examples, which are data and may look like schemas. */
export function* documentNodes(value: unknown): Generator<DocumentNode> {
  if (!isObject(value)) return;
  if (!Array.isArray(value)) yield value;
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') yield* documentNodes(member);
  }
}
