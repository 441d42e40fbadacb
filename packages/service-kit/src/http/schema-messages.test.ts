import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '@multi-drm/contracts';
import { enumerationMessage, schemaMessages } from './schema-messages';
import { documentNodes } from './schema-nodes';

const withSchemas = (schemas: Record<string, unknown>): OpenApiDocument => ({
  openapi: '3.1.1',
  info: { title: 'Words', version: '1.0.0' },
  paths: {},
  components: { schemas },
});

test('messages for patterns and enumerations are replaced by those of the document', () => {
  const messages = schemaMessages(
    withSchemas({
      Country: { enum: ['DE', 'FR'], 'x-message': 'must be a country' },
      Key: { pattern: '^[0-9a-f]{4}$', 'x-message': 'must be 4 hexadecimal digits' },
      Name: { type: 'string' },
    }),
  );
  expect([...messages]).toEqual([
    ['must be equal to one of the allowed values: DE, FR', 'must be a country'],
    ['must match pattern "^[0-9a-f]{4}$"', 'must be 4 hexadecimal digits'],
  ]);
});

test('one pattern has one message, because the validator does not report its place', () => {
  const schemas = { One: { pattern: 'x', 'x-message': 'must be x' }, Other: { pattern: 'x', 'x-message': 'no' } };
  expect(() => schemaMessages(withSchemas(schemas))).toThrow('two messages for the same schema');
});

test.each([
  ['must be equal to one of the allowed values: vod, live', 'must be one of vod, live'],
  ['must be equal to one of the allowed values: staging', 'must be staging'],
])('%s is reported as: %s', (message, expected) => {
  expect(enumerationMessage(message)).toBe(expected);
});

test.each([
  ['control plane', controlPlaneDocument],
  ['playback', playbackDocument],
])('no message of the %s contains a regular expression or more than a dozen values', (_service, document) => {
  const hasOtherMessage = new Set([String.raw`\S`, '^[0-9]+$', String.raw`^-?(?:0|[1-9]\d*)$`]); // blank; a response header; covered by its format
  const withoutMessage = [...documentNodes(document)].filter(
    ({ pattern, enum: values, 'x-message': message }) =>
      message === undefined &&
      ((typeof pattern === 'string' && !hasOtherMessage.has(pattern)) || (Array.isArray(values) && values.length > 12)),
  );
  // Problem codes only occur in responses, so callers never send them.
  expect(withoutMessage.filter((node) => !(node.enum as string[] | undefined)?.includes('invalid_request'))).toEqual(
    [],
  );
});
