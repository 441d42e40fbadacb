import { publishedKeys } from './redis-keys';
import { subjectHashTag } from './subject-hash-tag';

const environmentId = '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77';

test('the bucket of a subject is the CRC-32 of its UTF-8 modulo 256', () => {
  // CRC-32 of "123456789" is 0xcbf43926, the check value of the IEEE polynomial.
  expect(subjectHashTag(environmentId, '123456789')).toBe(`{${environmentId}:${0x26}}`);
});

test('a non-ASCII subject is hashed by its UTF-8 bytes', () => {
  // Computed in Python: zlib.crc32('é'.encode('utf-8')) % 256. In Latin-1 it would be 81.
  expect(subjectHashTag(environmentId, 'é')).toBe(`{${environmentId}:62}`);
});

test('braces in a content id do not change the hash tag', () => {
  expect(publishedKeys.content(environmentId, '{other}')).toBe(`published:content:{${environmentId}}:{other}`);
});
