import { type SecretKey, Secrets } from '@multi-drm/service-kit';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import type { StoredSecretsStore } from './stored-secrets-store';

/** What came of a rotation. */
export interface Rotation {
  /** Records whose secrets were encrypted anew. */
  renewed: number;
  /** Records with a secret that could not be decrypted, and why: the older keys are still needed, or lost. */
  unreadable: { name: string; error: unknown }[];
}

/**
 * Encrypts every stored secret under the first of the keys and marks what changed for publication. Each record is a
 * transaction of its own: a rotation can be ended at any moment and run again, beside others and beside a control plane
 * that works. Every secret is read, those under the first key as well: that one may have another key's id. Where nothing is
 * unreadable, no secret in the database needs the other keys any more. Rejects where the database is out of reach.
 */
export async function rotateSecrets(
  store: StoredSecretsStore,
  keys: readonly [SecretKey, ...SecretKey[]],
  pageSize = 100,
): Promise<Rotation> {
  const secrets = new Secrets(keys);
  let renewed = 0;
  // Until a pass finds nothing: a control plane that has the keys in their former order may have written meanwhile.
  for (;;) {
    const before = renewed;
    const unreadable: Rotation['unreadable'] = [];
    for await (const page of store.holders(pageSize)) {
      for (const holder of page) {
        try {
          if (await holder.renew(secrets)) renewed += 1;
        } catch (error) {
          if (isDatabaseUnavailable(error)) throw error;
          unreadable.push({ name: holder.name, error });
        }
      }
    }
    if (renewed === before) return { renewed, unreadable };
  }
}
