import { publishedKeys } from '@multi-drm/contracts';
import type { Transaction } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { readSubjectBuckets } from './subject-hash-key';

/** A key under which a record was published and is no longer. */
export interface FormerKey {
  documentId: string;
  key: string;
}

/**
 * Of the former keys of records of a kind, those to remember with the record. A key of an end user or a license profile may now be another
 * record's, and may name a person: it gets a tombstone once and is then forgotten, unless the record still has the subject or name. Then no
 * other record can be published under it, and an older copy of Redis may bring its document back.
 */
export async function keysToRemember(
  transaction: Transaction,
  documentKind: DocumentKind,
  formerKeys: readonly FormerKey[],
): Promise<FormerKey[]> {
  if (formerKeys.length === 0) return [];
  const ids = [...new Set(formerKeys.map(({ documentId }) => documentId))];
  const remember = (ownKeys: Map<string, string[]>) =>
    formerKeys.filter(({ documentId, key }) => ownKeys.get(documentId)?.includes(key));
  if (documentKind === 'endUser') {
    const users = await transaction.endUser.findMany({
      where: { id: { in: ids } },
      select: { id: true, subject: true, project: { select: { environments: { select: { id: true } } } } },
    });
    const buckets = await readSubjectBuckets(transaction);
    const keysOf = (subject: string | null, environments: { id: string }[]) =>
      subject === null ? [] : environments.map(({ id }) => publishedKeys.endUser(id, buckets.hashOf(id, subject)));
    return remember(new Map(users.map(({ id, subject, project }) => [id, keysOf(subject, project.environments)])));
  }
  if (documentKind === 'licenseProfile') {
    const profiles = await transaction.licenseProfile.findMany({ where: { id: { in: ids } } });
    return remember(
      new Map(profiles.map(({ id, projectId, name }) => [id, [publishedKeys.licenseProfile(projectId, name)]])),
    );
  }
  return [...formerKeys];
}

/**
 * Adds outbox entries for the records that now have a former subject or name of another one: they are published under the same keys, and the
 * tombstones may have arrived last.
 */
export async function addEntriesForSuccessors(
  transaction: Transaction,
  documentKind: DocumentKind,
  formerKeys: readonly FormerKey[],
): Promise<void> {
  if (formerKeys.length === 0) return;
  if (documentKind === 'endUser') {
    // A successor whose keys are not recorded yet will be published with a later revision.
    await transaction.$executeRaw`
      INSERT INTO outbox_entry (document_kind, document_id)
      SELECT DISTINCT 'endUser'::document_kind, successor.document_id
      FROM jsonb_to_recordset(${JSON.stringify(formerKeys)}::jsonb) AS former("documentId" uuid, key text)
      JOIN published_document successor ON successor.keys @> ARRAY[former.key]
      WHERE successor.document_kind = 'endUser' AND successor.document_id <> former."documentId"`;
  }
  if (documentKind === 'licenseProfile') {
    const names = formerKeys.map(({ documentId, key }) => ({ documentId, name: nameIn(key) }));
    await transaction.$executeRaw`
      INSERT INTO outbox_entry (document_kind, document_id)
      SELECT DISTINCT 'licenseProfile'::document_kind, successor.id
      FROM jsonb_to_recordset(${JSON.stringify(names)}::jsonb) AS former("documentId" uuid, name text)
      JOIN license_profile ON license_profile.id = former."documentId"
      JOIN license_profile successor USING (project_id)
      WHERE successor.id <> former."documentId" AND successor.name = former.name`;
  }
}

/** The key of a license profile ends with its name, after the hash tag. */
function nameIn(key: string): string {
  return key.slice(key.indexOf('}:') + 2);
}
