import type { OpenApiDocument } from '@multi-drm/contracts';
import { documentNodes } from './schema-nodes';

/** What the validator says of a pattern or an enumeration → what the document has callers be told instead. */
export type SchemaMessages = ReadonlyMap<string, string>;

const allowedValues = 'must be equal to one of the allowed values: ';

/**
 * Reads the `x-message` of each schema with a `pattern` or an `enum`: what a caller is told whose value does not fit, such
 * as "must be 32 hexadecimal digits". Throws where the same pattern is told in two ways: the validator's messages hold
 * the pattern alone, not its place.
 */
export function schemaMessages(document: OpenApiDocument): SchemaMessages {
  const messages = new Map<string, string>();
  for (const node of documentNodes(document)) {
    const told = node['x-message'];
    if (typeof told !== 'string') continue;
    const faults = [
      ...(typeof node.pattern === 'string' ? [`must match pattern "${node.pattern}"`] : []),
      ...(Array.isArray(node.enum) ? [`${allowedValues}${node.enum.join(', ')}`] : []),
    ];
    for (const fault of faults) {
      if ((messages.get(fault) ?? told) !== told) throw new Error(`two messages for the same schema: ${fault}`);
      messages.set(fault, told);
    }
  }
  return messages;
}

/** Says in words which values a short enumeration has: `must be one of vod, live`; of one value alone: `must be vod`. */
export function enumerationMessage(message: string): string {
  const values = message.slice(allowedValues.length);
  return values.includes(', ') ? `must be one of ${values}` : `must be ${values}`;
}
