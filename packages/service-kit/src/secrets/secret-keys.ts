/** A key that encrypts secrets. */
export interface SecretKey {
  /** Stored with everything that the key encrypts. */
  id: string;
  /** 256 bits. */
  key: Buffer;
}

const entryForm = /^([A-Za-z0-9_-]{1,64}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Parses `keyId:base64 of 32 bytes[,…]`. Errors name only the position of an entry, so that no key ends up in a log.
 */
export function parseSecretKeys(text: string): { keys: SecretKey[]; errors: string[] } {
  const keys: SecretKey[] = [];
  const errors: string[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [, id, key] = entryForm.exec(entry.trim()) ?? [];
    if (id === undefined || key === undefined) {
      errors.push(`entry ${index + 1} must be keyId:key, where key is 32 bytes in base64`);
    } else if (keys.some((other) => other.id === id)) {
      errors.push(`entry ${index + 1} repeats a key id`);
    } else {
      keys.push({ id, key: Buffer.from(key, 'base64') });
    }
  }
  return { keys, errors };
}
