import { HashKeySeal, type SecretKey, Secrets } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import { sealHashKey } from '../publishing/seal-hash-key';
import { readSecretHolders } from './secret-holders';

/** The result of a rotation. */
export interface Rotation {
  /** Records whose secrets were re-encrypted. */
  renewed: number;
  /** Records with a secret that could not be decrypted, and why: the older keys are still needed, or lost. */
  unreadable: { name: string; error: unknown }[];
}

/**
 * Encrypts every stored secret with the first key and adds outbox entries for what changed. Each record has its own
 * transaction: a rotation can be stopped at any moment and run again, beside other rotations and a running control
 * plane. Every secret is decrypted, even one with the first key's id, because that id may belong to another key. If
 * nothing is unreadable, no secret in the database needs the other keys any more. Rejects if the database is
 * unavailable.
 */
export async function rotateSecrets(
  database: Database,
  keys: readonly [SecretKey, ...SecretKey[]],
  pageSize = 100,
): Promise<Rotation> {
  const secrets = new Secrets(keys);
  let renewed = 0;
  // Until a pass finds nothing: a control plane that has the keys in the former order may have written meanwhile.
  for (;;) {
    const before = renewed;
    const unreadable: Rotation['unreadable'] = [];
    const logFailure = (name: string, error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error;
      unreadable.push({ name, error });
    };
    await sealHashKey(database, new HashKeySeal(keys)).catch((error: unknown) =>
      logFailure('key of the viewers', error),
    );
    for await (const page of readSecretHolders(database, pageSize)) {
      for (const holder of page) {
        try {
          if (await database.$transaction((transaction) => holder.renew(transaction, secrets))) renewed += 1;
        } catch (error) {
          logFailure(holder.name, error);
        }
      }
    }
    if (renewed === before) return { renewed, unreadable };
  }
}
