import { controlPlaneDocument, type OpenApiDocument, playbackDocument } from '@multi-drm/contracts';
import { enumerationMessage, schemaMessages } from './schema-messages';
import { documentNodes } from './schema-nodes';

const withSchemas = (schemas: Record<string, unknown>): OpenApiDocument => ({
  openapi: '3.1.1',
  info: { title: 'Words', version: '1.0.0' },
  paths: {},
  components: { schemas },
});

test('what the validator says of a pattern or an enumeration is told in the words of the document', () => {
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

test('one pattern has one message, for the validator does not say where it stands', () => {
  const schemas = { One: { pattern: 'x', 'x-message': 'must be x' }, Other: { pattern: 'x', 'x-message': 'no' } };
  expect(() => schemaMessages(withSchemas(schemas))).toThrow('two messages for the same schema');
});

test.each([
  ['must be equal to one of the allowed values: vod, live', 'must be one of vod, live'],
  ['must be equal to one of the allowed values: staging', 'must be staging'],
])('%s is told as: %s', (message, told) => {
  expect(enumerationMessage(message)).toBe(told);
});

test.each([
  ['control plane', controlPlaneDocument],
  ['playback', playbackDocument],
])('no caller of the %s is told a regular expression or a list of more than a dozen values', (_service, document) => {
  const toldInWords = new Set([String.raw`\S`, '^[0-9]+$', String.raw`^-?(?:0|[1-9]\d*)$`]); // blank; an answer's header; by its format
  const silent = [...documentNodes(document)].filter(
    ({ pattern, enum: values, 'x-message': told }) =>
      told === undefined &&
      ((typeof pattern === 'string' && !toldInWords.has(pattern)) || (Array.isArray(values) && values.length > 12)),
  );
  // The codes of problems are what answers say, and nothing that a caller sends.
  expect(silent.filter((node) => !(node.enum as string[] | undefined)?.includes('invalid_request'))).toEqual([]);
});
