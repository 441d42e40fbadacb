import { Problem } from '@multi-drm/contracts';
import type { EnvironmentKind, Prisma } from '../../generated/prisma/client';

/**
 * Checks that the project may have another environment of this kind: at most one for development and one for
 * production. Call it under the lock of the plan, which serializes creates and restores. Throws `conflict`.
 */
export async function requireKindFree(
  transaction: Prisma.TransactionClient,
  projectId: string,
  kind: EnvironmentKind,
): Promise<void> {
  if (kind === 'staging') return;
  const where = { projectId, kind, status: 'active' } as const;
  const present = await transaction.environment.findFirst({ where, select: { id: true, name: true } });
  if (present === null) return;
  throw new Problem(
    'conflict',
    `The project already has a ${kind} environment, "${present.name}" (${present.id}), which is the maximum: archive it first.`,
  );
}
