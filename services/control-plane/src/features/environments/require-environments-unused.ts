import type { ActiveSessionCounter } from '../../active-sessions/active-session-counter';
import type { Transaction } from '../../database/database';
import { requireUnused } from '../../records/require-unused';
import { publishedContentOf } from '../../stores/needed-by';

/**
 * Checks that environments are not in use. Throws `record_in_use`, which names published content and counts active
 * sessions, or `service_unavailable` if sessions cannot be counted. The environments' rows are locked, so that nothing
 * is published until the commit; a session that starts meanwhile is not counted.
 */
export async function requireEnvironmentsUnused(
  transaction: Transaction,
  activeSessions: Pick<ActiveSessionCounter, 'count'>,
  environmentIds: string[],
): Promise<void> {
  const published = await publishedContentOf(transaction, environmentIds);
  const count = await activeSessions.count(environmentIds);
  requireUnused([published, { noun: 'active session', count }], 'Send cascade=true to archive it anyway.');
}
