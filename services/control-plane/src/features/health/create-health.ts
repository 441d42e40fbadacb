import { Health } from '@multi-drm/service-kit';
import type { PrismaClient } from '../../generated/prisma/client';

/** Ready while PostgreSQL answers. Not Redis: without it changes are still taken, and published once it is back. */
export function createHealth(prisma: PrismaClient, version: string, timeoutMilliseconds?: number): Health {
  return new Health({
    service: 'control-plane',
    version,
    checks: { postgresql: () => prisma.$queryRaw`SELECT 1` },
    ...(timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds }),
  });
}
