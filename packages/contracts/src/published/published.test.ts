import { inspect } from 'node:util';
import { asPublishedDeployment, deploymentDocument, publishedFormat } from './documents';
import { publishedKeys } from './redis-keys';
import { bucketsOfDeployment, SubjectBuckets } from './subject-buckets';

const environmentId = '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77';
const hashKey = 'A'.repeat(43);
const buckets = new SubjectBuckets(hashKey);

test('the checksum of a viewer is the start of the SHA-256 of key, environment and subject in UTF-8', () => {
  // Computed in Python, with 'A' * 43 as the key:
  // int.from_bytes(hashlib.sha256(f'{key}:{environment_id}:é'.encode('utf-8')).digest()[:4], 'big'). In Latin-1 it would be 1955315923.
  expect(buckets.checksumOf(environmentId, 'é')).toBe(3_976_657_941);
  expect(buckets.bucketOf(environmentId, 'é')).toBe(21);
  expect(buckets.hashTagOf(environmentId, 'é')).toBe('{21}');
});

test('the key of an end user has the first 128 bits of that hash in place of the subject, and the tag of the slots', () => {
  const subjectHash = buckets.hashOf(environmentId, 'é');
  // The same in Python, with .hexdigest()[:32].
  expect(subjectHash).toBe('ed06fc15dbd35bcff0be8d02853d9da8');
  expect(publishedKeys.endUser(environmentId, subjectHash)).toBe(
    `published:viewer:{21}:${environmentId}:${subjectHash}`,
  );
});

test('another key gives other buckets', () => {
  const others = new SubjectBuckets(`${'A'.repeat(42)}E`);
  expect(others.bucketOf(environmentId, 'é')).toBe(757);
  const same = Array.from({ length: 1_000 }, (_, i) => `viewer-${i}`).filter(
    (subject) => others.bucketOf(environmentId, subject) === buckets.bucketOf(environmentId, subject),
  );
  // One on average.
  expect(same.length).toBeLessThan(10);
});

test('viewers are spread evenly', () => {
  const counts = new Array<number>(bucketsOfDeployment).fill(0);
  for (let i = 0; i < 100 * bucketsOfDeployment; i += 1) {
    const bucket = buckets.bucketOf(environmentId, `viewer-${i}`);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  // A hundred on average, with a standard deviation of ten.
  expect(Math.min(...counts)).toBeGreaterThan(50);
  expect(Math.max(...counts)).toBeLessThan(150);
});

test('neither a log entry nor an inspection of the buckets shows the key', () => {
  expect(inspect({ buckets }, { depth: null, showHidden: true }) + JSON.stringify({ buckets })).not.toContain('AAA');
  expect([buckets.hasKey(hashKey), buckets.hasKey('B'.repeat(43))]).toEqual([true, false]);
});

test.each([undefined, null, '', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, 7])(
  'nothing is used that is published with %j in place of the key',
  (subjectHashKey) => {
    const deployment = { format: publishedFormat, generation: 'first', published: 'all' };
    expect(asPublishedDeployment(deploymentDocument.parse({ ...deployment, subjectHashKey: hashKey }))).not.toBeNull();
    expect(asPublishedDeployment(deploymentDocument.parse({ ...deployment, subjectHashKey }))).toBeNull();
  },
);

test('braces in a content id do not change the hash tag', () => {
  expect(publishedKeys.content(environmentId, '{other}')).toBe(`published:content:{${environmentId}}:{other}`);
});
