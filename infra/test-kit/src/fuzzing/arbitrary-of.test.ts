import fc from 'fast-check';
import { arbitraryOf, type Schema } from './arbitrary-of';

test('an object has its fewest members also where hints leave some out', () => {
  const change: Schema = {
    properties: { name: { type: 'string' }, planId: { type: 'string' } },
    additionalProperties: false,
    minProperties: 1,
  };
  const generated = arbitraryOf(change, { schemas: {}, hints: { planId: [undefined] } });
  fc.assert(fc.property(generated, (value) => JSON.stringify(value) !== '{}'));
});
