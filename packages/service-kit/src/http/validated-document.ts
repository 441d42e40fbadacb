import type { OpenApiDocument } from '@multi-drm/contracts';
import { type DocumentNode, documentNodes } from './schema-nodes';

interface Union extends DocumentNode {
  oneOf: { $ref: string }[];
  discriminator: { propertyName: string; mapping: Record<string, string> };
}

const isUnion = (node: DocumentNode): node is Union => 'oneOf' in node && 'discriminator' in node;

/**
 * Rewrites a union by one property, in place, to "if the property has this value, then that schema". Both take the same
 * values. A validator tells of a union the faults of every member, and of the conditions those of the chosen one alone.
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
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that nobody awaits
      then: { $ref: schema },
    })),
  };
  const { oneOf: _members, discriminator: _choice, ...rest } = { ...union };
  for (const key of Object.keys(union)) delete union[key];
  Object.assign(union, rest, members);
}

/** A document for the validator: it takes and refuses the same, with messages that lead to the one fault. */
export function validatedDocument(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const node of documentNodes(copy)) {
    if (isUnion(node)) chooseByCondition(node);
    // The message of `const` does not say which value; that of `enum` does.
    else if ('const' in node && 'type' in node) {
      node.enum = [node.const];
      delete node.const;
    }
  }
  return copy;
}
