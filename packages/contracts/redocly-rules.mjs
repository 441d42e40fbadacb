// Lint rules for OpenAPI that redocly does not have: what readers must be told.

/** Requires a description of every property, its own or that of the schema it refers to. */
function PropertyDescription() {
  const inConditions = /\/(if|not)$/;
  return {
    Schema(schema, { report, location, resolve }) {
      if (inConditions.test(location.pointer)) return;
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        if (describes(property, resolve)) continue;
        report({
          message: `Property \`${name}\` must have a description: what it is, its unit and limits, and what its absence or null means.`,
          location: location.child(['properties', name]),
        });
      }
    },
  };
}

function describes(schema, resolve) {
  for (let node = schema, from; node !== undefined; ) {
    if (node.description) return true;
    if (node.$ref === undefined) return false;
    const resolved = resolve(node, from);
    from = resolved.location?.source.absoluteRef;
    node = resolved.node;
  }
  return false;
}

/**
 * Requires every example of a body to have the properties that its schema requires. Redocly's own rule says so, too, but names neither the
 * example nor the schema.
 */
function ExampleCompleteness() {
  return {
    MediaType({ schema, examples = {} }, { report, location, resolve }) {
      for (const [name, example] of Object.entries(examples)) {
        const found = resolve(example);
        const at = example.$ref ? found.location : location.child(['examples', name]);
        for (const { path, property, owner } of missingProperties(found.node?.value, schema, resolve)) {
          report({
            message: `Example \`${nameOf(example) ?? name}\` has no \`${[...path, property].join('.')}\`, which the schema \`${owner}\` requires.`,
            location: at.child(['value', ...path]),
          });
        }
      }
    },
  };
}

const nameOf = ({ $ref: reference }) => reference?.replace(/^.*\//, '');

/** Yields what a value lacks, with the name of the schema that requires it. The members of unions are not followed. */
function* missingProperties(value, schema, resolve, { from, owner = 'of the body', path = [] } = {}) {
  if (schema === undefined || typeof value !== 'object' || value === null) return;
  if (schema.$ref !== undefined) {
    const target = resolve(schema, from);
    const place = { from: target.location?.source.absoluteRef, owner: nameOf(schema), path };
    yield* missingProperties(value, target.node, resolve, place);
    return;
  }
  for (const property of schema.required ?? []) if (!Object.hasOwn(value, property)) yield { path, property, owner };
  for (const part of schema.allOf ?? []) yield* missingProperties(value, part, resolve, { from, owner, path });
  for (const [name, member] of Object.entries(value)) {
    const memberSchema = Array.isArray(value)
      ? schema.items
      : (schema.properties?.[name] ?? schema.additionalProperties);
    if (typeof memberSchema === 'object')
      yield* missingProperties(member, memberSchema, resolve, { from, owner, path: [...path, name] });
  }
}

export default function plugin() {
  return {
    id: 'reader',
    rules: { oas3: { 'property-description': PropertyDescription, 'example-completeness': ExampleCompleteness } },
  };
}
