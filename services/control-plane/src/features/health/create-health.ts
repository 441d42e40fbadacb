import { Health } from '@multi-drm/service-kit';
import type { PrismaClient } from '../../generated/prisma/client';

/**
 * Ready while PostgreSQL answers and accepts writes. Redis is not required: without it, changes are still accepted, and
 * published once it is back.
 */
export function createHealth(prisma: PrismaClient, version: string, timeoutMilliseconds?: number): Health {
  return new Health({
    service: 'control-plane',
    version,
    checks: { postgresql: () => requireWritable(prisma) },
    ...(timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds }),
  });
}

/** Rejects on a standby, and where writes are disabled, as some systems do when their disk is full. */
async function requireWritable(prisma: PrismaClient): Promise<void> {
  const [row] = await prisma.$queryRaw<{ readOnly: string }[]>`
    SELECT current_setting('transaction_read_only') AS "readOnly"`;
  if (row?.readOnly !== 'off') throw new Error('the database accepts no writes');
}
