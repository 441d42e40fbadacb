import { hashOf } from './credentials';
import { findOperatorKey, parseOperatorKeys } from './operator-keys';

const hash = hashOf('op_first');
const other = hashOf('op_second');

test('operator keys are read as names with hashes, in either case of hex', () => {
  expect(parseOperatorKeys(`alice:${hash}, on-call:${other.toUpperCase()}`)).toEqual({
    keys: [
      { name: 'alice', hash },
      { name: 'on-call', hash: other },
    ],
    errors: [],
  });
});

test('each invalid entry is reported by position, never by value', () => {
  const { errors } = parseOperatorKeys(`alice:op_plain-key,bob:${hash},bob:${other},${hash}`);
  expect(errors).toEqual([
    'entry 1 must be name:hash, the hash being the SHA-256 of the key in 64 hex digits',
    'entry 3 repeats a name',
    'entry 4 must be name:hash, the hash being the SHA-256 of the key in 64 hex digits',
  ]);
});

test('an operator key is found by the hash of the whole key', () => {
  const keys = [
    { name: 'alice', hash },
    { name: 'bob', hash: other },
  ];
  expect(findOperatorKey(keys, hashOf('op_second'))?.name).toBe('bob');
  expect(findOperatorKey(keys, hashOf('op_second '))).toBeUndefined();
  expect(findOperatorKey([], hash)).toBeUndefined();
});
