import type { OpenApiDocument } from '@multi-drm/contracts';
import { validatedDocument } from './validated-document';

const documentWith = (schemas: Record<string, unknown>): OpenApiDocument => ({
  openapi: '3.1.1',
  info: { title: 'Shapes', version: '1.0.0' },
  paths: {},
  components: { schemas },
});

test('a union becomes a condition per member, so that only errors of the chosen one are reported', () => {
  const document = documentWith({
    Shape: {
      description: 'A shape.',
      oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Square' }],
      discriminator: {
        propertyName: 'kind',
        mapping: { circle: '#/components/schemas/Circle', square: '#/components/schemas/Square' },
      },
    },
  });
  const condition = (kind: string, schema: string) => ({
    if: { properties: { kind: { const: kind } }, required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that is never awaited
    then: { $ref: `#/components/schemas/${schema}` },
  });
  expect(validatedDocument(document).components.schemas.Shape).toEqual({
    description: 'A shape.',
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string', enum: ['circle', 'square'] } },
    allOf: [condition('circle', 'Circle'), condition('square', 'Square')],
  });
  expect(document.components.schemas.Shape).toHaveProperty('oneOf');
});

test('a constant becomes an enumeration of one value, whose message names the value', () => {
  const { components } = validatedDocument(documentWith({ Mode: { type: 'string', const: 'streaming' } }));
  expect(components.schemas.Mode).toEqual({ type: 'string', enum: ['streaming'] });
});

test('examples are not changed: they are data, not schemas', () => {
  const example = { type: 'x', const: 1 };
  const { components } = validatedDocument(documentWith({ Thing: { type: 'object', example } }));
  expect(components.schemas.Thing).toEqual({ type: 'object', example });
});
