import type { OpenApiDocument } from '@multi-drm/contracts';
import { documentNodes } from './schema-nodes';

/** Maps a validator message for a pattern or an enumeration to the document's own message. */
export type SchemaMessages = ReadonlyMap<string, string>;

const allowedValues = 'must be equal to one of the allowed values: ';

/**
 * Reads the `x-message` of each schema with a `pattern` or `enum`: what a caller is told about a value that does not
 * match, such as "must be 32 hexadecimal digits". Throws if one pattern has two messages: the validator's error
 * contains only the pattern, not its place.
 */
export function schemaMessages(document: OpenApiDocument): SchemaMessages {
  const messages = new Map<string, string>();
  for (const node of documentNodes(document)) {
    const ownMessage = node['x-message'];
    if (typeof ownMessage !== 'string') continue;
    const validatorMessages = [
      ...(typeof node.pattern === 'string' ? [`must match pattern "${node.pattern}"`] : []),
      ...(Array.isArray(node.enum) ? [`${allowedValues}${node.enum.join(', ')}`] : []),
    ];
    for (const validatorMessage of validatorMessages) {
      if ((messages.get(validatorMessage) ?? ownMessage) !== ownMessage) {
        throw new Error(`two messages for the same schema: ${validatorMessage}`);
      }
      messages.set(validatorMessage, ownMessage);
    }
  }
  return messages;
}

/** Lists the allowed values: `must be one of vod, live`, or `must be vod` if there is only one. */
export function enumerationMessage(message: string): string {
  const values = message.slice(allowedValues.length);
  return values.includes(', ') ? `must be one of ${values}` : `must be ${values}`;
}
