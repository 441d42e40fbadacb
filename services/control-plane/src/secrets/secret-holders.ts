import { isDeepStrictEqual } from 'node:util';
import { secretPlaces } from '@multi-drm/contracts';
import type { Secrets } from '@multi-drm/service-kit';
import type { Database, Transaction } from '../database/database';
import { addOutboxEntry } from '../publishing/outbox-entries';
import {
  type DrmSystemKey,
  lockBackendSecrets,
  lockContentKeys,
  lockWebhookSecrets,
  readContentWithSecrets,
  readDrmSystemsWithSecrets,
  readWebhookEndpointsWithSecrets,
  reencryptBackendSecrets,
  reencryptContentKeys,
  reencryptWebhookSecrets,
} from '../stores/stored-secrets';

/** A record that contains secrets. */
export interface SecretHolder {
  /** Its name in the audit trail. */
  name: string;
  /**
   * Encrypts its secrets with the newest key, in a transaction that locks the record first, so that a concurrent change
   * is not overwritten; resolves to whether any needed it. Throws if one is unreadable.
   */
  renew(transaction: Transaction, secrets: Secrets): Promise<boolean>;
}

/** Pages of all records with secrets, each record once. */
export async function* readSecretHolders(database: Database, pageSize: number): AsyncGenerator<SecretHolder[]> {
  for await (const page of readDrmSystemsWithSecrets(database, pageSize)) yield page.map(drmSystemHolder);
  for await (const page of readContentWithSecrets(database, pageSize)) yield page.map(contentHolder);
  for await (const page of readWebhookEndpointsWithSecrets(database, pageSize)) yield page.map(webhookEndpointHolder);
}

function drmSystemHolder(key: DrmSystemKey): SecretHolder {
  const { environmentId, drmSystem } = key;
  return {
    name: `drmSystem ${environmentId}/${drmSystem}`,
    renew: async (transaction, secrets) => {
      const stored = Object.entries(await lockBackendSecrets(transaction, key));
      const renewed = stored.map(([name, text]): [string, string] => [
        name,
        secrets.renew(secretPlaces.licenseBackend(environmentId, drmSystem, name), text),
      ]);
      if (renewed.every(([, text], index) => text === stored[index]?.[1])) return false;
      await reencryptBackendSecrets(transaction, key, Object.fromEntries(renewed));
      await addOutboxEntry(transaction, 'environment', environmentId, true);
      return true;
    },
  };
}

function contentHolder(id: string): SecretHolder {
  return {
    name: `contentAsset ${id}`,
    renew: async (transaction, secrets) => {
      const stored = await lockContentKeys(transaction, id);
      const renewed = stored.map((entry) =>
        entry.key === undefined
          ? entry
          : { ...entry, key: secrets.renew(secretPlaces.contentKey(id, entry.keyId), entry.key) },
      );
      if (renewed.every(({ key }, index) => key === stored[index]?.key)) return false;
      await reencryptContentKeys(transaction, id, renewed);
      await addOutboxEntry(transaction, 'content', id, true);
      return true;
    },
  };
}

function webhookEndpointHolder(id: string): SecretHolder {
  return {
    name: `webhookEndpoint ${id}`,
    renew: async (transaction, secrets) => {
      const stored = await lockWebhookSecrets(transaction, id);
      if (stored === undefined) return false;
      const place = secretPlaces.webhookSecret(id);
      const headers = Object.entries(stored.secretHeaders).map(([name, text]): [string, string] => [
        name,
        secrets.renew(secretPlaces.webhookHeader(id, name), text),
      ]);
      const renewed = {
        secret: secrets.renew(place, stored.secret),
        previousSecret: stored.previousSecret === null ? null : secrets.renew(place, stored.previousSecret),
        secretHeaders: Object.fromEntries(headers),
      };
      if (isDeepStrictEqual(renewed, stored)) return false;
      await reencryptWebhookSecrets(transaction, id, renewed);
      return true;
    },
  };
}
