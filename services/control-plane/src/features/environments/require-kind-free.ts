import { type ControlPlaneSchemas, Problem } from '@multi-drm/contracts';
import type { Transaction } from '../../database/database';
import { findEnvironmentOfKind } from '../../stores/environments';

/**
 * Checks that the project may have another environment of this kind: at most one for development and one for
 * production. Call it under the lock of the plan, which serializes creates and restores. Throws `conflict`.
 */
export async function requireKindFree(
  transaction: Transaction,
  projectId: string,
  kind: ControlPlaneSchemas['EnvironmentKind'],
): Promise<void> {
  if (kind === 'staging') return;
  const present = await findEnvironmentOfKind(transaction, projectId, kind);
  if (present === null) return;
  throw new Problem(
    'conflict',
    `The project already has a ${kind} environment, "${present.name}" (${present.id}), which is the maximum: archive it first.`,
  );
}
