/** A key that secrets are encrypted under. */
export interface SecretKey {
  /** Kept with everything that the key encrypted. */
  id: string;
  /** 256 bits. */
  key: Buffer;
}

const entryForm = /^([A-Za-z0-9_-]{1,64}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Reads `keyId:base64 of 32 bytes[,…]`. A fault is told by the entry's place alone, so that no key finds its way into a
 * log.
 */
export function parseSecretKeys(text: string): { keys: SecretKey[]; faults: string[] } {
  const keys: SecretKey[] = [];
  const faults: string[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [, id, key] = entryForm.exec(entry.trim()) ?? [];
    if (id === undefined || key === undefined) {
      faults.push(`entry ${index + 1} must be keyId:key, the key being 32 bytes in base64`);
    } else if (keys.some((other) => other.id === id)) {
      faults.push(`entry ${index + 1} repeats a key id`);
    } else {
      keys.push({ id, key: Buffer.from(key, 'base64') });
    }
  }
  return { keys, faults };
}
