import type { Database, Transaction } from '../database/database';
import type { DrmSystem } from '../generated/prisma/client';
import type { StoredContentKey } from './content-assets';

/** The key of a DRM system's settings. */
export interface DrmSystemKey {
  environmentId: string;
  drmSystem: DrmSystem;
}

const lowestId = '00000000-0000-0000-0000-000000000000';

/** Every DRM system with secrets, once each, page by page; archived environments keep theirs. */
export async function* readDrmSystemsWithSecrets(database: Database, pageSize: number): AsyncGenerator<DrmSystemKey[]> {
  let after: DrmSystemKey = { environmentId: lowestId, drmSystem: 'widevine' };
  for (let full = true; full; ) {
    const page = await database.$queryRaw<DrmSystemKey[]>`
      SELECT environment_id AS "environmentId", drm_system AS "drmSystem" FROM environment_drm_system
      WHERE (environment_id, drm_system) > (${after.environmentId}::uuid, ${after.drmSystem}::drm_system)
        AND backend_secrets <> '{}'
      ORDER BY environment_id, drm_system LIMIT ${pageSize}`;
    yield page;
    after = page.at(-1) ?? after;
    full = page.length === pageSize;
  }
}

/** The ids of all content with a stored content key, once each, page by page; archived content keeps its keys. */
export async function* readContentWithSecrets(database: Database, pageSize: number): AsyncGenerator<string[]> {
  let after = lowestId;
  for (let full = true; full; ) {
    const page = await database.$queryRaw<{ id: string }[]>`
      SELECT id FROM content_asset
      WHERE id > ${after}::uuid
        AND EXISTS (SELECT 1 FROM jsonb_array_elements(keys) AS item WHERE item->>'key' IS NOT NULL)
      ORDER BY id LIMIT ${pageSize}`;
    yield page.map(({ id }) => id);
    after = page.at(-1)?.id ?? after;
    full = page.length === pageSize;
  }
}

/** The ids of all webhook endpoints in use, once each, page by page. */
export async function* readWebhookEndpointsWithSecrets(database: Database, pageSize: number): AsyncGenerator<string[]> {
  let after = lowestId;
  for (let full = true; full; ) {
    const page = await database.$queryRaw<{ id: string }[]>`
      SELECT id FROM webhook_endpoint WHERE id > ${after}::uuid AND removed_at IS NULL ORDER BY id LIMIT ${pageSize}`;
    yield page.map(({ id }) => id);
    after = page.at(-1)?.id ?? after;
    full = page.length === pageSize;
  }
}

/** The encrypted secrets of a license backend by name, which stay as they are until the transaction ends. */
export async function lockBackendSecrets(
  transaction: Transaction,
  { environmentId, drmSystem }: DrmSystemKey,
): Promise<Record<string, string>> {
  const [row] = await transaction.$queryRaw<{ secrets: Record<string, string> | null }[]>`
    SELECT backend_secrets AS secrets FROM environment_drm_system
    WHERE environment_id = ${environmentId}::uuid AND drm_system = ${drmSystem}::drm_system FOR UPDATE`;
  return row?.secrets ?? {};
}

/** Stores other encryptions of the same secrets. The settings are the same, so their version and time of change stay. */
export async function reencryptBackendSecrets(
  transaction: Transaction,
  { environmentId, drmSystem }: DrmSystemKey,
  secrets: Record<string, string>,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE environment_drm_system SET backend_secrets = ${JSON.stringify(secrets)}::jsonb
    WHERE environment_id = ${environmentId}::uuid AND drm_system = ${drmSystem}::drm_system`;
}

/** The keys of content, which stay as they are until the transaction ends. */
export async function lockContentKeys(transaction: Transaction, contentAssetId: string): Promise<StoredContentKey[]> {
  const [row] = await transaction.$queryRaw<{ keys: StoredContentKey[] }[]>`
    SELECT keys FROM content_asset WHERE id = ${contentAssetId}::uuid FOR UPDATE`;
  return row?.keys ?? [];
}

/** The encrypted secrets of a webhook endpoint. */
export interface StoredWebhookSecrets {
  secret: string;
  previousSecret: string | null;
  /** By name. */
  secretHeaders: Record<string, string>;
}

/** The secrets of a webhook endpoint, which stay as they are until the transaction ends; undefined if it is removed. */
export async function lockWebhookSecrets(
  transaction: Transaction,
  webhookEndpointId: string,
): Promise<StoredWebhookSecrets | undefined> {
  const [row] = await transaction.$queryRaw<StoredWebhookSecrets[]>`
    SELECT secret, previous_secret AS "previousSecret", secret_headers AS "secretHeaders" FROM webhook_endpoint
    WHERE id = ${webhookEndpointId}::uuid AND removed_at IS NULL FOR UPDATE`;
  return row;
}

/** Stores other encryptions of the same secrets. The endpoint's version and time of change stay. */
export async function reencryptWebhookSecrets(
  transaction: Transaction,
  webhookEndpointId: string,
  { secret, previousSecret, secretHeaders }: StoredWebhookSecrets,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE webhook_endpoint SET secret = ${secret}, previous_secret = ${previousSecret},
      secret_headers = ${JSON.stringify(secretHeaders)}::jsonb
    WHERE id = ${webhookEndpointId}::uuid`;
}

/** Stores other encryptions of the same content keys. The content's version and time of change stay. */
export async function reencryptContentKeys(
  transaction: Transaction,
  contentAssetId: string,
  keys: StoredContentKey[],
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE content_asset SET keys = ${JSON.stringify(keys)}::jsonb WHERE id = ${contentAssetId}::uuid`;
}
