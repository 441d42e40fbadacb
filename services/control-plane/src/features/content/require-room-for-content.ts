import type { Transaction } from '../../database/database';
import { requireRoom } from '../../records/require-room';
import { countContentOfOrganization } from '../../stores/content-assets';

/**
 * Checks that the organization's plan has room for one more content asset, or for `added` ones. Only content that could
 * be played counts, which excludes archived content and content of archived parents. Throws `plan_limit_reached`.
 */
export async function requireRoomForContent(
  transaction: Transaction,
  organizationId: string,
  added = 1,
): Promise<void> {
  const count = () => countContentOfOrganization(transaction, organizationId);
  await requireRoom(transaction, organizationId, 'contentAssets', count, added);
}
