import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { Transaction } from '../database/database';
import type { ContentAsset, ContentStatus } from '../generated/prisma/client';
import { lockRow } from './lock-row';

/** A key of content as it is stored, with its content key, if any, encrypted. */
export type StoredContentKey = ControlPlaneSchemas['ContentKey'] & { key?: string };

/** A content asset with typed JSON columns. */
export type ContentRecord = Omit<ContentAsset, 'manifests' | 'keys'> & {
  manifests: ControlPlaneSchemas['Manifest'][];
  keys: StoredContentKey[];
};

/** The fields that can be changed; absent ones stay as they are. */
export type ContentValues = Partial<
  Pick<
    ContentRecord,
    'title' | 'manifests' | 'keys' | 'audioLanguages' | 'subtitleLanguages' | 'licenseProfileId' | 'status'
  >
>;

type NewContent = ContentValues & Pick<ContentRecord, 'environmentId' | 'contentId' | 'kind' | 'title'>;

/** A content asset as Prisma returns it, with its JSON columns typed. */
export function typedContent(asset: ContentAsset): ContentRecord {
  // Safe: only this file writes these columns, and it takes these types.
  return asset as unknown as ContentRecord;
}

export async function readContentAsset(transaction: Transaction, id: string): Promise<ContentRecord> {
  return typedContent(await transaction.contentAsset.findUniqueOrThrow({ where: { id } }));
}

/** Reads content that stays as it is until the transaction ends. */
export async function lockContentAsset(transaction: Transaction, id: string): Promise<ContentRecord> {
  await lockRow(transaction, 'content_asset', id);
  return readContentAsset(transaction, id);
}

/** The content of the environment with this contentId; null if there is none. */
export async function findContentId(
  transaction: Transaction,
  environmentId: string,
  contentId: string,
): Promise<{ id: string; status: ContentStatus } | null> {
  const where = { environmentId_contentId: { environmentId, contentId } };
  return transaction.contentAsset.findUnique({ where, select: { id: true, status: true } });
}

/** Key ids and track types of content, whatever its status; null if the environment has no such content. */
export async function findContentKeys(
  transaction: Transaction,
  environmentId: string,
  contentId: string,
): Promise<ControlPlaneSchemas['ContentKey'][] | null> {
  const where = { environmentId_contentId: { environmentId, contentId } };
  const content = await transaction.contentAsset.findUnique({ where });
  return content && typedContent(content).keys.map(({ keyId, trackTypes }) => ({ keyId, trackTypes }));
}

/** Inserts content without its keys, which are encrypted for the id that it gets here. */
export async function insertContentAsset(
  transaction: Transaction,
  values: Omit<NewContent, 'keys'>,
  now: Date,
): Promise<ContentRecord> {
  return typedContent(await transaction.contentAsset.create({ data: { ...values, createdAt: now, updatedAt: now } }));
}

/** Adds the keys of new content, whose version stays 1. */
export async function insertContentKeys(
  transaction: Transaction,
  id: string,
  keys: StoredContentKey[],
  now: Date,
): Promise<ContentRecord> {
  return typedContent(await transaction.contentAsset.update({ where: { id }, data: { keys, updatedAt: now } }));
}

/** Sets fields of content and raises its version. */
export async function changeContentAsset(
  transaction: Transaction,
  id: string,
  values: ContentValues,
  now: Date,
): Promise<ContentRecord> {
  const data = { ...values, version: { increment: 1 }, updatedAt: now };
  return typedContent(await transaction.contentAsset.update({ where: { id }, data }));
}

/** Counts content that is not itself archived in environments, archived or not. */
export async function countContentOf(transaction: Transaction, environmentIds: string[]): Promise<number> {
  return transaction.contentAsset.count({
    where: { status: { not: 'archived' }, environmentId: { in: environmentIds } },
  });
}

/** Counts the organization's content, without archived content and content of archived parents. */
export async function countContentOfOrganization(transaction: Transaction, organizationId: string): Promise<number> {
  // The environments are queried separately, so that content is counted with an index by environment instead of a
  // full scan.
  const environments = await transaction.environment.findMany({
    where: { status: 'active', project: { organizationId, status: 'active' } },
    select: { id: true },
  });
  return countContentOf(
    transaction,
    environments.map(({ id }) => id),
  );
}
