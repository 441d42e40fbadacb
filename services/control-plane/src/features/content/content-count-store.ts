import type { Prisma } from '../../generated/prisma/client';
import { requireRoom } from '../../plans/plan-limit-store';

/**
 * Makes sure that the organization's plan has room for one more content asset, or for as many as are `added`. Content
 * counts that could be played: nothing that is archived, or lies in what is archived. Throws `plan_limit_reached`.
 */
export async function requireRoomForContent(
  transaction: Prisma.TransactionClient,
  organizationId: string,
  added = 1,
): Promise<void> {
  const count = async (): Promise<number> => {
    // By themselves, so that content is counted in an index of its own environments, and not looked through as a whole.
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

/** Counts what environments, archived or not, have of content that is not archived itself. */
export async function countContentOf(transaction: Prisma.TransactionClient, environmentIds: string[]): Promise<number> {
  return transaction.contentAsset.count({
    where: { status: { not: 'archived' }, environmentId: { in: environmentIds } },
  });
}
