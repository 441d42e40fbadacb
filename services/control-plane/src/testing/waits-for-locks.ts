import type { PrismaClient } from '../generated/prisma/client';

/** How many statements in the database wait for a lock that another transaction holds. */
export async function waitsForLocks(prisma: PrismaClient): Promise<number> {
  const rows = await prisma.$queryRaw<unknown[]>`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return rows.length;
}
