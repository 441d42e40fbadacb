import type { HashKeySeal } from '@multi-drm/service-kit';
import type { Database } from '../database/database';

/**
 * Seals the key of the viewers' buckets with these `SECRET_KEYS`, unless it is. Any number of instances may do so at the same time. Throws
 * as `Secrets.decrypt` does if it is sealed with an unknown key.
 */
export async function sealHashKey(database: Database, seal: HashKeySeal): Promise<void> {
  // As it is stored: `findFirst` would open it.
  const row = await database.subjectHashKey.findUniqueOrThrow({ where: { id: 1 } });
  const { key, sealedKey } = row;
  const text = sealedKey ?? Buffer.from(key ?? []).toString('base64url');
  const hashKey = seal.open(text);
  if (seal.isCurrent(text)) return;
  await database.subjectHashKey.updateMany({
    where: { id: 1, sealedKey },
    data: { key: null, sealedKey: seal.seal(hashKey) },
  });
}
