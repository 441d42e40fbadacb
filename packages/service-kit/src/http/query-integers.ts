import type { OpenApiDocument } from '@multi-drm/contracts';
import { type DocumentNode, documentNodes } from './schema-nodes';

interface IntegerParameter extends DocumentNode {
  schema: { type: 'integer'; minimum?: number; maximum?: number; default?: number };
}

const int32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };
const formatName = /^integer-from-(-?\d+)-to-(-?\d+)$/;

/** Whether a node of a document is an integer parameter of a query. */
export function isQueryInteger(node: DocumentNode): node is IntegerParameter {
  const { type } = (node.schema ?? {}) as { type?: unknown };
  return node.in === 'query' && type === 'integer';
}

/**
 * Returns the schema that the validator gets for an integer parameter of a query: its decimal digits, with an optional minus sign and
 * without leading zeros. An integer schema would also accept what JavaScript converts to a number, such as `1e1`, `0x10`, `01` and ` 1`.
 * A default stays a number.
 */
export function queryIntegerSchema({ schema }: IntegerParameter): DocumentNode {
  const { minimum, maximum, default: absent } = { ...int32, ...schema };
  const digits = { type: ['integer', 'string'], format: `integer-from-${minimum}-to-${maximum}` };
  return absent === undefined ? digits : { ...digits, default: absent };
}

/** Returns the formats of the integer parameters of a document for the validator. */
export function queryIntegerFormats(document: OpenApiDocument) {
  const names = new Set<string>();
  for (const { format } of documentNodes(document)) if (typeof format === 'string') names.add(format);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const bounds = boundsOf(name);
      if (bounds === undefined) return [];
      const validate = (text: string) =>
        /^-?(?:0|[1-9]\d*)$/.test(text) && Number(text) >= bounds.minimum && Number(text) <= bounds.maximum;
      return [[name, { type: 'string' as const, validate }]];
    }),
  );
}

/** What callers are told about a value that does not have the format; undefined for all other formats. */
export function queryIntegerMessage(format: string): string | undefined {
  const bounds = boundsOf(format);
  return bounds && `must be a whole number from ${bounds.minimum} to ${bounds.maximum}`;
}

function boundsOf(format: string): { minimum: number; maximum: number } | undefined {
  const [, minimum, maximum] = formatName.exec(format) ?? [];
  return maximum === undefined ? undefined : { minimum: Number(minimum), maximum: Number(maximum) };
}
