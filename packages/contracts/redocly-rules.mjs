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

export default function plugin() {
  return { id: 'reader', rules: { oas3: { 'property-description': PropertyDescription } } };
}
