import {
  publishedKeys,
  readDocument,
  type SecretKeysDocument,
  secretKeysDocument,
  secretPlaces,
} from '@multi-drm/contracts';
import type { RedisClient } from '../redis/primaries';
import type { SecretKey } from './secret-keys';
import { Secrets } from './secrets';

const plaintext = 'SECRET_KEYS';

/**
 * A text for each key, encrypted with that key. During a rotation a process may have only one of the keys, so being able to decrypt one
 * text is enough.
 */
export function secretKeyProbes(keys: readonly SecretKey[]): SecretKeysDocument {
  return { probes: keys.map((key) => new Secrets([key]).encrypt(secretPlaces.secretKeyProbe, plaintext)) };
}

/** Reads the published probes. Null if there are none, or of another form: a newer control plane may publish one. */
export async function readSecretKeyProbes(redis: RedisClient): Promise<SecretKeysDocument | null> {
  return readDocument(secretKeysDocument, await redis.hget(publishedKeys.secretKeys, 'document'));
}

/** Whether these secrets can decrypt one of the probes. */
export function canDecryptProbe(secrets: Secrets, { probes }: SecretKeysDocument): boolean {
  return probes.some((probe) => {
    try {
      return secrets.decrypt(secretPlaces.secretKeyProbe, probe) === plaintext;
    } catch {
      // Encrypted with another key.
      return false;
    }
  });
}

/** The ids of the keys that encrypted the probes. */
export function keyIdsOf({ probes }: SecretKeysDocument): string[] {
  return probes.map((probe) => probe.split('.')[1] ?? '');
}
