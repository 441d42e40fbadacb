import { comparisonKey } from './comparison-key';

test.each([
  ['  Acme   GmbH ', 'acme gmbh'],
  ['ACME\u00a0GmbH', 'acme gmbh'],
  ['Acme\tGmbH\n', 'acme gmbh'],
  ['Ａｃｍｅ GmbH', 'acme gmbh'],
  ['Cafe\u0301', 'caf\u00e9'],
])('%j is normalized to %j', (text, compared) => {
  expect(comparisonKey(text)).toBe(compared);
});
