import { publishedKeys } from './redis-keys';
import { subjectHashTag } from './subject-hash-tag';

const environmentId = '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77';

test('the bucket of a viewer is the CRC-32 of environment and subject in UTF-8 modulo 1,024', () => {
  // Computed in Python: zlib.crc32(f'{environment_id}:é'.encode('utf-8')) % 1024. In Latin-1 it would be 681.
  expect(subjectHashTag(environmentId, 'é')).toBe('{463}');
});

test('braces in a content id do not change the hash tag', () => {
  expect(publishedKeys.content(environmentId, '{other}')).toBe(`published:content:{${environmentId}}:{other}`);
});
