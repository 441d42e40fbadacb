import { oncePerDocument } from './once-per-document';
import { isQueryInteger, queryIntegerSchema } from './query-integers';
import { type DocumentNode, documentNodes } from './schema-nodes';

interface Union extends DocumentNode {
  oneOf: { $ref: string }[];
  discriminator: { propertyName: string; mapping: Record<string, string> };
}

const isUnion = (node: DocumentNode): node is Union => 'oneOf' in node && 'discriminator' in node;

/**
 * Rewrites a union with a discriminator, in place, to "if the property has this value, then that schema". Both accept
 * the same values. For a union, a validator reports the errors of every member; for conditions, only those of the
 * chosen one.
 */
function chooseByCondition(union: Union): void {
  const { propertyName, mapping } = union.discriminator;
  const choices = Object.entries(mapping);
  const members: DocumentNode = {
    type: 'object',
    required: [propertyName],
    properties: { [propertyName]: { type: 'string', enum: choices.map(([value]) => value) } },
    allOf: choices.map(([value, schema]) => ({
      if: { properties: { [propertyName]: { const: value } }, required: [propertyName] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that is never awaited
      then: { $ref: schema },
    })),
  };
  const { oneOf: _members, discriminator: _choice, ...rest } = { ...union };
  for (const key of Object.keys(union)) delete union[key];
  Object.assign(union, rest, members);
}

/** Rewrites a document for the validator: it accepts the same values, but error messages point to the actual error. */
export const validatedDocument = oncePerDocument(
  () => '',
  (document) => {
    const copy = structuredClone(document);
    for (const node of documentNodes(copy)) {
      if (isUnion(node)) chooseByCondition(node);
      else if (isQueryInteger(node)) Object.assign(node, { schema: queryIntegerSchema(node) });
      // The validator's message for `const` does not name the value; that for `enum` does.
      else if ('const' in node && 'type' in node) {
        node.enum = [node.const];
        delete node.const;
      }
    }
    return copy;
  },
);
