import { createHash } from 'node:crypto';

/** Source of randomness: as many bytes as asked for. Node's `randomBytes`, outside of tests. */
export type RandomBytes = (size: number) => Buffer;

/** Characters of a management key that stay visible, so that people recognise it. */
const visibleLength = 10;

/** A secret or an identifier in the form `<prefix>_<base64url of random bytes>`. */
export function randomKey(prefix: 'mk' | 'ak' | 'ci', bytes: number, randomBytes: RandomBytes): string {
  return `${prefix}_${randomBytes(bytes).toString('base64url')}`;
}

/** SHA-256 in lower-case hex. Enough for keys of 256 random bits, which nobody can guess from a fast hash. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

/** What is kept of a new management key, and the key itself, which is shown once. */
export function newManagementKey(randomBytes: RandomBytes): { key: string; prefix: string; hash: string } {
  const key = randomKey('mk', 32, randomBytes);
  return { key, prefix: key.slice(0, visibleLength), hash: hashOf(key) };
}
