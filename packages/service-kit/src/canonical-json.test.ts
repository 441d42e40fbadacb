import { canonicalJson } from './canonical-json';

test('members may come in any order, at every depth', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
  expect(canonicalJson({ a: 'x', b: [{ c: null, d: 1 }] })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
});

test('the order of a list matters', () => {
  expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
});
