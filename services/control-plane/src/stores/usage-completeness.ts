import type { Database } from '../database/database';

/** The oldest minute of an environment, or of an organization, with events that are stored but not counted yet; null: there is none. */
export async function readOldestUncountedMinute(database: Database, scopeId: string): Promise<Date | null> {
  const [found] = await database.$queryRaw<{ minute: Date | null }[]>`
    SELECT min(minute) AS minute FROM usage_dirty_minute
    WHERE environment_id = ${scopeId}::uuid OR environment_id IN (
      SELECT environment.id FROM environment JOIN project ON project.id = environment.project_id
      WHERE project.organization_id = ${scopeId}::uuid)`;
  return found?.minute ?? null;
}
