import type { Database } from '../database/database';
import type { UsageInterval } from './usage';

/**
 * The oldest minute of an environment, or of an organization, with events that are stored but not counted yet in intervals of a length; null:
 * there is none. Hours and what is composed of them come after minutes.
 */
export async function readOldestUncountedMinute(
  database: Database,
  scopeId: string,
  interval: UsageInterval,
): Promise<Date | null> {
  const [found] = await database.$queryRaw<{ minute: Date | null }[]>`
    SELECT min(minute) AS minute FROM usage_dirty_minute
    WHERE (${interval} <> 'minute' OR NOT is_recomputed) AND (environment_id = ${scopeId}::uuid OR environment_id IN (
      SELECT environment.id FROM environment JOIN project ON project.id = environment.project_id
      WHERE project.organization_id = ${scopeId}::uuid))`;
  return found?.minute ?? null;
}
