import type { Prisma } from '../../generated/prisma/client';
import { requireRoom } from '../../plans/plan-limit-store';

/**
 * Checks that the organization's plan has room for one more content asset, or for `added` ones. Only content that could
 * be played counts, which excludes archived content and content of archived parents. Throws `plan_limit_reached`.
 */
export async function requireRoomForContent(
  transaction: Prisma.TransactionClient,
  organizationId: string,
  added = 1,
): Promise<void> {
  const count = async (): Promise<number> => {
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
  };
  await requireRoom(transaction, organizationId, 'contentAssets', count, added);
}

/** Counts content that is not itself archived in environments, archived or not. */
export async function countContentOf(transaction: Prisma.TransactionClient, environmentIds: string[]): Promise<number> {
  return transaction.contentAsset.count({
    where: { status: { not: 'archived' }, environmentId: { in: environmentIds } },
  });
}
