import type { Database } from '../database/database';
import { isRestrictedEndUser } from './restricted-end-users';

/**
 * Adds an outbox entry for every record that playback must know and every document that was ever published. Resolves to
 * their number.
 */
export async function addEntriesForEverything(prisma: Database): Promise<number> {
  return prisma.$executeRaw`
    INSERT INTO outbox_entry (document_kind, document_id, bulk)
    SELECT kind, id, true FROM (
      SELECT 'organization'::document_kind AS kind, id FROM organization
      UNION SELECT 'environment', id FROM environment
      UNION SELECT 'content', id FROM content_asset
      UNION SELECT 'apiClient', id FROM api_client
      UNION SELECT 'licenseProfile', id FROM license_profile
      UNION SELECT 'endUser', id FROM end_user WHERE ${isRestrictedEndUser}
      UNION SELECT document_kind, document_id FROM published_document
    ) AS record
    ORDER BY kind, id`;
}
