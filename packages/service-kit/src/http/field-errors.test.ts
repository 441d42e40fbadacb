import { fieldErrors, fieldPath } from './field-errors';

test.each([
  ['/body', 'body'],
  ['/body/name', 'name'],
  ['/body/manifests/0/url', 'manifests[0].url'],
  ['/body/a/b/c', 'a.b.c'],
  ['/body/0', '[0]'],
  ['/body/a~1b/c~0d', 'a/b.c~d'],
  ['/query/limit', 'limit'],
  ['/params/siteId', 'siteId'],
  ['/headers/if-match', 'If-Match'],
  ['/headers/idempotency-key', 'Idempotency-Key'],
  ['/api/v1/things/%', 'path'],
  ['', 'path'],
])('an error at %s is reported for the field %s', (pointer, field) => {
  expect(fieldPath(pointer)).toBe(field);
});

test('a message is reported once, and a pattern is not if a format explains it', () => {
  const pattern = {
    path: '/query/limit',
    message: 'must match pattern "^x$"',
    errorCode: 'pattern.openapi.validation',
  };
  const format = {
    path: '/query/limit',
    message: 'must match format "integer-from-1-to-200"',
    errorCode: 'format.openapi.validation',
  };
  expect(fieldErrors([pattern, format, format])).toEqual({ limit: ['must be a whole number from 1 to 200'] });
  expect(fieldErrors([pattern])).toEqual({ limit: ['must match pattern "^x$"'] });
});

test.each([
  ['minItems', 'must NOT have fewer than 1 items', 'must have at least 1 item'],
  ['maxItems', 'must NOT have more than 20 items', 'must have at most 20 items'],
  ['minLength', 'must NOT have fewer than 22 characters', 'must have at least 22 characters'],
  ['maxLength', 'must NOT have more than 1 characters', 'must have at most 1 character'],
  ['minProperties', 'must NOT have fewer than 1 properties', 'must have at least one field that is not null'],
  ['minimum', 'must be >= 144', 'must be at least 144'],
  ['maximum', 'must be <= -0.5', 'must be at most -0.5'],
  [
    'uniqueItems',
    'must NOT have duplicate items (items ## 0 and 1 are identical)',
    'must not contain the same item twice',
  ],
  ['type', 'must be integer,null', 'must be a whole number or null'],
  ['type', 'must be object', 'must be an object'],
  ['type', 'must be boolean', 'must be true or false'],
])('an error of %s, %p, is reported as %p', (keyword, message, expected) => {
  const path = '/body/tracks';
  expect(fieldErrors([{ path, message, errorCode: `${keyword}.openapi.validation` }])).toEqual({ tracks: [expected] });
});

test("a pattern or an enumeration is reported with the document's own message if it has one", () => {
  const pattern = { path: '/body/key', message: 'must match pattern "^x$"', errorCode: 'pattern.openapi.validation' };
  const enumeration = {
    path: '/body/type',
    message: 'must be equal to one of the allowed values: vod, live',
    errorCode: 'enum.openapi.validation',
  };
  const messages = new Map([[pattern.message, 'must be an x']]);
  expect(fieldErrors([pattern, enumeration], messages)).toEqual({
    key: ['must be an x'],
    type: ['must be one of vod, live'],
  });
});

test('a condition is not reported, only the errors that follow from it', () => {
  const condition = { path: '/body/backend', message: 'must match "then" schema', errorCode: 'if.openapi.validation' };
  const missing = {
    path: '/body/backend/url',
    message: "must have required property 'url'",
    errorCode: 'required.openapi.validation',
  };
  expect(fieldErrors([missing, condition])).toEqual({ 'backend.url': ['is required'] });
});

test('several messages for one field are reported even at the maximum number of fields', () => {
  const items = Array.from({ length: 200 }, (_, i) => ({ path: `/body/f${i}`, message: 'is odd' }));
  const errors = fieldErrors([...items, { path: '/body/f0', message: 'is also long' }]);
  expect(Object.keys(errors)).toHaveLength(100);
  expect(errors.f0).toEqual(['is odd', 'is also long']);
});
