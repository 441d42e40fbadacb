import { secretPlaces } from '@multi-drm/contracts';
import type { Secrets } from '@multi-drm/service-kit';
import type { DrmSystem, PrismaClient } from '../generated/prisma/client';
import { addOutboxEntry } from '../publishing/outbox-entries';

/** A record that contains secrets. */
export interface SecretHolder {
  /** Its name in the audit trail. */
  name: string;
  /** Encrypts its secrets with the newest key; resolves to whether any needed it. Rejects if one is unreadable. */
  renew(secrets: Secrets): Promise<boolean>;
}

/** Every place where secrets are stored; archived records keep theirs. */
export class StoredSecrets {
  constructor(private readonly prisma: PrismaClient) {}

  /** Pages of the records with secrets, each record once. */
  async *holders(pageSize: number): AsyncGenerator<SecretHolder[]> {
    yield* this.drmSystems(pageSize);
    yield* this.contentAssets(pageSize);
  }

  private async *drmSystems(pageSize: number): AsyncGenerator<SecretHolder[]> {
    let [afterId, afterSystem] = [noId, 'widevine'];
    for (let full = true; full; ) {
      const page = await this.prisma.$queryRaw<{ environmentId: string; drmSystem: DrmSystem }[]>`
        SELECT environment_id AS "environmentId", drm_system AS "drmSystem" FROM environment_drm_system
        WHERE (environment_id, drm_system) > (${afterId}::uuid, ${afterSystem}::drm_system)
          AND backend_secrets <> '{}'
        ORDER BY environment_id, drm_system LIMIT ${pageSize}`;
      yield page.map(({ environmentId, drmSystem }) => ({
        name: `drmSystem ${environmentId}/${drmSystem}`,
        renew: (secrets) => this.renewDrmSystem(secrets, environmentId, drmSystem),
      }));
      const last = page.at(-1);
      if (last !== undefined) [afterId, afterSystem] = [last.environmentId, last.drmSystem];
      full = page.length === pageSize;
    }
  }

  private async *contentAssets(pageSize: number): AsyncGenerator<SecretHolder[]> {
    let afterId = noId;
    for (let full = true; full; ) {
      const page = await this.prisma.$queryRaw<{ id: string }[]>`
        SELECT id FROM content_asset
        WHERE id > ${afterId}::uuid
          AND EXISTS (SELECT 1 FROM jsonb_array_elements(keys) AS item WHERE item->>'key' IS NOT NULL)
        ORDER BY id LIMIT ${pageSize}`;
      yield page.map(({ id }) => ({
        name: `contentAsset ${id}`,
        renew: (secrets) => this.renewContentAsset(secrets, id),
      }));
      afterId = page.at(-1)?.id ?? afterId;
      full = page.length === pageSize;
    }
  }

  private async renewDrmSystem(secrets: Secrets, environmentId: string, drmSystem: DrmSystem): Promise<boolean> {
    return this.prisma.$transaction(async (transaction) => {
      // Locked before it is read, so that a concurrent configuration is not overwritten.
      const [row] = await transaction.$queryRaw<{ stored: Record<string, string> | null }[]>`
        SELECT backend_secrets AS stored FROM environment_drm_system
        WHERE environment_id = ${environmentId}::uuid AND drm_system = ${drmSystem}::drm_system FOR UPDATE`;
      const stored = Object.entries(row?.stored ?? {});
      const renewed = stored.map(([name, text]): [string, string] => [
        name,
        secrets.renew(secretPlaces.licenseBackend(environmentId, drmSystem, name), text),
      ]);
      if (renewed.every(([, text], index) => text === stored[index]?.[1])) return false;
      // The settings are the same, so their version and time of change stay.
      await transaction.$executeRaw`
        UPDATE environment_drm_system SET backend_secrets = ${JSON.stringify(Object.fromEntries(renewed))}::jsonb
        WHERE environment_id = ${environmentId}::uuid AND drm_system = ${drmSystem}::drm_system`;
      await addOutboxEntry(transaction, 'environment', environmentId, true);
      return true;
    });
  }

  private async renewContentAsset(secrets: Secrets, id: string): Promise<boolean> {
    return this.prisma.$transaction(async (transaction) => {
      const [row] = await transaction.$queryRaw<{ keys: { keyId: string; key?: string }[] }[]>`
        SELECT keys FROM content_asset WHERE id = ${id}::uuid FOR UPDATE`;
      const stored = row?.keys ?? [];
      const renewed = stored.map((entry) =>
        entry.key === undefined
          ? entry
          : { ...entry, key: secrets.renew(secretPlaces.contentKey(id, entry.keyId), entry.key) },
      );
      if (renewed.every(({ key }, index) => key === stored[index]?.key)) return false;
      await transaction.$executeRaw`
        UPDATE content_asset SET keys = ${JSON.stringify(renewed)}::jsonb WHERE id = ${id}::uuid`;
      await addOutboxEntry(transaction, 'content', id, true);
      return true;
    });
  }
}

const noId = '00000000-0000-0000-0000-000000000000';
