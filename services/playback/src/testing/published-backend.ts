import { type ContentDocument, publishedKeys, secretPlaces } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { rememberSecrets, secretsOfRequest } from '@multi-drm/test-kit';
import { testSecrets } from './playback';
import { type PublishedTenant, publish } from './published-tenant';

interface Backend {
  type: string;
  settings?: Record<string, string | Record<string, string>>;
  /** Plain text; encrypted here, as in the control plane. */
  secrets?: Record<string, string>;
}

/** Publishes the license backend of a tenant's environment for a DRM system; null: none. */
export async function publishBackend(
  redis: RedisClient,
  { environment: { environmentId } }: PublishedTenant,
  drmSystem: string,
  backend: Backend | null,
  more: { enabled?: boolean; certificate?: string | null } = {},
): Promise<void> {
  rememberSecrets(secretsOfRequest(JSON.stringify(backend?.secrets ?? {})));
  const encrypted = Object.entries(backend?.secrets ?? {}).map(([name, secret]) => [
    name,
    testSecrets.encrypt(secretPlaces.licenseBackend(environmentId, drmSystem, name), secret),
  ]);
  await publish(redis, publishedKeys.licenseBackend(environmentId, drmSystem), {
    environmentId,
    drmSystem,
    enabled: true,
    backend: backend && {
      type: backend.type,
      settings: backend.settings ?? {},
      encryptedSecrets: Object.fromEntries(encrypted),
    },
    certificate: null,
    settingsVersion: `${environmentId}-1`,
    ...more,
  });
}

/**
 * Publishes the tenant's content with a stored content key for each of its key ids; returns the keys, 16 bytes each. `withoutKey`:
 * further key ids without a stored key.
 */
export async function publishContentKeys(
  redis: RedisClient,
  { content }: PublishedTenant,
  withoutKey: ContentDocument['keys'] = [],
): Promise<Map<string, Buffer>> {
  const kept = new Map(content.keys.map(({ keyId }, index) => [keyId, Buffer.alloc(16, index + 1)]));
  for (const key of kept.values()) rememberSecrets([{ kind: 'content key', value: key.toString('hex') }]);
  const keys = content.keys.map((key) => ({
    ...key,
    encryptedKey: testSecrets.encrypt(
      secretPlaces.contentKey(content.contentAssetId, key.keyId),
      kept.get(key.keyId)?.toString('hex') ?? '',
    ),
  }));
  await publish(redis, publishedKeys.content(content.environmentId, content.contentId), {
    ...content,
    keys: [...keys, ...withoutKey],
  });
  return kept;
}
