import type { Transaction } from '../database/database';
import type { ChangedDocument } from './changed-documents';
import { isRestrictedEndUser } from './restricted-end-users';

/**
 * Adds an outbox entry for every license profile that contains these rights in its published document, and adds these to
 * the `documents` of the change.
 */
export async function addEntriesForLicenseProfiles(
  { transaction, documents }: { transaction: Transaction; documents: ChangedDocument[] },
  rightsId: string,
): Promise<void> {
  const entries = await transaction.$queryRaw<ChangedDocument[]>`
    INSERT INTO outbox_entry (document_kind, document_id)
    SELECT 'licenseProfile', id FROM license_profile WHERE rights_id = ${rightsId}::uuid AND status = 'active'
    RETURNING document_kind AS "documentKind", document_id AS "documentId"`;
  documents.push(...entries);
}

/** Adds an outbox entry for all content that contains this license profile's name in its published document. */
export async function addEntriesForContent(transaction: Transaction, licenseProfileId: string): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO outbox_entry (document_kind, document_id, bulk)
    SELECT 'content', id, true FROM content_asset
    WHERE license_profile_id = ${licenseProfileId}::uuid AND status <> 'archived'`;
}

/**
 * Adds an outbox entry for everything that leaves playback with the organization: its environments, clients and end
 * users.
 */
export async function addEntriesForOrganization(transaction: Transaction, organizationId: string): Promise<void> {
  // Waits for records that are being created and blocks further ones, as in `addEntriesForEndUsers`.
  await transaction.$queryRaw`
    SELECT 1 FROM project WHERE organization_id = ${organizationId}::uuid ORDER BY id FOR UPDATE`;
  await transaction.$executeRaw`
    INSERT INTO outbox_entry (document_kind, document_id, bulk)
    SELECT 'environment'::document_kind, environment.id, true
      FROM environment JOIN project ON project.id = project_id WHERE organization_id = ${organizationId}::uuid
    UNION ALL
    SELECT 'apiClient', api_client.id, true
      FROM api_client JOIN project ON project.id = project_id WHERE organization_id = ${organizationId}::uuid
    UNION ALL
    SELECT 'endUser', end_user.id, true
      FROM end_user JOIN project ON project.id = project_id
      WHERE organization_id = ${organizationId}::uuid AND ${isRestrictedEndUser}`;
}

/**
 * Adds an outbox entry for everything that returns to playback with the organization. Its environments are served again
 * as described for `publishLikeNew`.
 */
export async function addEntriesForRestoredOrganization(
  transaction: Transaction,
  organizationId: string,
): Promise<void> {
  await addEntriesForOrganization(transaction, organizationId);
  await transaction.$executeRaw`
    UPDATE published_document SET revision = 0
    WHERE document_kind = 'environment' AND document_id IN (
      SELECT environment.id FROM environment JOIN project ON project.id = project_id
      WHERE organization_id = ${organizationId}::uuid)`;
}
