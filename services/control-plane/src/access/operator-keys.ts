import { timingSafeEqual } from 'node:crypto';

/** A key of the platform operator, as configured in the settings. */
export interface OperatorKey {
  name: string;
  /** SHA-256 of the whole key, in lower-case hex. */
  hash: string;
}

const entryForm = /^([A-Za-z0-9._-]{1,64}):([0-9a-fA-F]{64})$/;

/**
 * Reads `name:sha256hex[,name:sha256hex…]`. Errors name only the position of the entry, because somebody may have swapped key and hash, and
 * a key must not be logged.
 */
export function parseOperatorKeys(text: string): { keys: OperatorKey[]; errors: string[] } {
  const keys: OperatorKey[] = [];
  const errors: string[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [, name, hash] = entryForm.exec(entry.trim()) ?? [];
    if (name === undefined || hash === undefined) {
      errors.push(`entry ${index + 1} must be name:hash, the hash being the SHA-256 of the key in 64 hex digits`);
    } else if (keys.some((key) => key.name === name)) {
      errors.push(`entry ${index + 1} repeats a name`);
    } else {
      keys.push({ name, hash: hash.toLowerCase() });
    }
  }
  return { keys, errors };
}

/** Returns the operator key with this hash. Compares in constant time and always looks at every key. */
export function findOperatorKey(keys: readonly OperatorKey[], hash: string): OperatorKey | undefined {
  const given = Buffer.from(hash, 'hex');
  return keys.filter((key) => timingSafeEqual(Buffer.from(key.hash, 'hex'), given))[0];
}
