import type { OpenChange } from '../../records/open-change';
import type { EnvironmentRecord } from '../../stores/environments';

/** Records that an environment was archived or restored: of its values, only the status changes. */
export async function recordEnvironmentMove(
  open: OpenChange,
  verb: 'archive' | 'restore',
  environment: Omit<EnvironmentRecord, 'drmSystems'>,
  details: { cascade?: true } = {},
): Promise<void> {
  const [before, after] = verb === 'archive' ? (['active', 'archived'] as const) : (['archived', 'active'] as const);
  const shown = { ...environment, drmSystems: [] };
  await open.record('environment', verb, {
    before: { ...shown, status: before },
    after: { ...shown, status: after },
    details,
  });
}
