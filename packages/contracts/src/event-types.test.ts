import controlPlane from './generated/control-plane.json';

const { schemas } = controlPlane.components;

interface EventSchema {
  allOf: { properties?: { type: { const: string } } }[];
  example: { type: string };
}

/** The schema of what is sent to webhook endpoints, by type. */
const sent = Object.entries(controlPlane.webhooks).map(([type, { post }]) => {
  const reference = post.requestBody.content['application/json'].schema.$ref;
  const schema: unknown = schemas[reference.replace(/^.*\//, '') as keyof typeof schemas];
  return { type, reference, schema: schema as EventSchema };
});

test('webhooks are described for every type that an endpoint may name, and for the test', () => {
  const named = schemas.WebhookEventTypes.enum.filter((type) => !type.includes('*'));
  expect(sent.map(({ type }) => type).sort()).toEqual([...named, 'webhook.test'].sort());
});

test('an endpoint may name the group of each type, and no other', () => {
  const { enum: all } = schemas.WebhookEventTypes;
  const groups = new Set(all.flatMap((type) => (type.includes('*') ? [] : [`${type.split('.')[0]}.*`])));
  expect(all.filter((type) => type.includes('*')).sort()).toEqual(['*', ...groups].sort());
});

test.each(sent)('the schema of $type says so, and has an example', ({ type, schema }) => {
  expect(schema.allOf.flatMap(({ properties }) => (properties ? [properties.type.const] : []))).toEqual([type]);
  expect(schema.example.type).toBe(type);
});

test('lists show each of their types by the schema that webhooks have', () => {
  const listed = sent.filter(({ type }) => schemas.EventType.enum.includes(type));
  expect(listed).toHaveLength(schemas.EventType.enum.length);
  expect(schemas.EventResponse.oneOf.map(({ $ref }) => $ref).sort()).toEqual(
    listed.map(({ reference }) => reference).sort(),
  );
});
