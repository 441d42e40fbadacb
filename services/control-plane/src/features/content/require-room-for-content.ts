import type { Transaction } from '../../database/database';
import { requireRoom } from '../../records/require-room';
import { countContentOfOrganization } from '../../stores/content-assets';
import type { LockedPlan } from '../../stores/organizations';

/**
 * Checks that the plan has room for one more content asset, or for `added` ones. Only content that could
 * be played counts, which excludes archived content and content of archived parents. Throws `plan_limit_reached`.
 */
export async function requireRoomForContent(transaction: Transaction, plan: LockedPlan, added = 1): Promise<void> {
  const count = () => countContentOfOrganization(transaction, plan.organizationId);
  await requireRoom(plan, 'contentAssets', count, added);
}
