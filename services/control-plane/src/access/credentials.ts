import { createHash } from 'node:crypto';

/** Source of randomness: returns the requested number of bytes. Node's `randomBytes`, except in tests. */
export type RandomBytes = (size: number) => Buffer;

/** Length of the prefix of a key that stays visible, so that people recognise the key. */
const visibleLength = 10;

/** A secret or an identifier in the form `<prefix>_<base64url of random bytes>`. */
export function randomKey(prefix: 'mk' | 'ak' | 'ci', bytes: number, randomBytes: RandomBytes): string {
  return `${prefix}_${randomBytes(bytes).toString('base64url')}`;
}

/**
 * SHA-256 in lower-case hex. Strong enough for keys of 256 random bits, which cannot be guessed even with a fast hash.
 */
export function hashOf(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

/** What is stored of a new management key or access key, and the key itself, which is shown once. */
export function newKey(kind: 'mk' | 'ak', randomBytes: RandomBytes): { key: string; prefix: string; hash: string } {
  const key = randomKey(kind, 32, randomBytes);
  return { key, prefix: key.slice(0, visibleLength), hash: hashOf(key) };
}
