import { Problem } from '@multi-drm/contracts';
import type { EnvironmentKind, Prisma } from '../../generated/prisma/client';

/**
 * Makes sure that the project may have one more environment of the kind: of development and production environments it
 * has one. Call it under the lock of the plan, which creates and restores take in turn. Throws `conflict`.
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
    `The project has a ${kind} environment, "${present.name}" (${present.id}), and has one at most: archive that one first.`,
  );
}
