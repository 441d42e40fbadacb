import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { Prisma } from '../../generated/prisma/client';
import { namesRead, requireUnused } from '../../records/require-unused';

/**
 * Checks that environments are not in use. Throws `record_in_use`, which names published content and counts active
 * sessions, or `service_unavailable` if sessions cannot be counted. The environments' rows are locked, so that nothing
 * is published until the commit; a session that starts meanwhile is not counted.
 */
export async function requireEnvironmentsUnused(
  transaction: Prisma.TransactionClient,
  activeSessions: Pick<ActiveSessionCounter, 'count'>,
  environmentIds: string[],
): Promise<void> {
  const contents = await transaction.contentAsset.findMany({
    where: { environmentId: { in: environmentIds }, status: 'published' },
    select: { contentId: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take: namesRead,
  });
  const count = await activeSessions.count(environmentIds);
  requireUnused(
    [
      { noun: 'published content asset', names: contents.map(({ contentId }) => contentId) },
      { noun: 'active session', count },
    ],
    'Send cascade=true to archive it anyway.',
  );
}
