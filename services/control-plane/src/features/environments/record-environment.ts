import type { OpenChange } from '../../records/changes';
import { type Changed, recordChange } from '../../records/record-change';
import { environmentResponse } from '../../responses/environments';
import type { EnvironmentRecord } from '../../stores/environments';

/** Records a change of an environment in the audit trail. */
export async function recordEnvironment(
  open: OpenChange,
  verb: 'create' | 'update' | 'archive' | 'restore',
  changed: Changed<EnvironmentRecord>,
): Promise<void> {
  await recordChange(open, `environment.${verb}`, changed, environmentResponse);
}

/** Records that an environment was archived or restored: of its values, only the status changes. */
export async function recordEnvironmentMove(
  open: OpenChange,
  verb: 'archive' | 'restore',
  environment: Omit<EnvironmentRecord, 'drmSystems'>,
  details: { cascade?: true } = {},
): Promise<void> {
  const [before, after] = verb === 'archive' ? (['active', 'archived'] as const) : (['archived', 'active'] as const);
  const shown = { ...environment, drmSystems: [] };
  await recordEnvironment(open, verb, {
    before: { ...shown, status: before },
    after: { ...shown, status: after },
    details,
  });
}
