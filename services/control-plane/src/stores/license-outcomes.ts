import type { Database } from '../database/database';
import type { EventBound } from './events';

/** How often license requests ended in one way. */
export interface LicenseOutcome {
  /** The problem code; null: a license was issued. */
  code: string | null;
  count: number;
}

/** How the license requests of a DRM system ended since a time: of the newest `most` events, without those of the sandbox. */
export async function countLicenseOutcomes(
  database: Database,
  environmentId: string,
  drmSystem: string,
  since: EventBound,
  most: number,
): Promise<LicenseOutcome[]> {
  return database.$queryRaw<LicenseOutcome[]>`
    SELECT code, sum(count)::int AS count FROM (
      SELECT CASE type WHEN 'license.refused' THEN data ->> 'code' END AS code, (data ->> 'count')::int AS count FROM event
      WHERE scope_id = ${environmentId}::uuid AND type IN ('license.issued', 'license.refused')
        AND id >= ${since.id}::uuid AND time >= ${since.time} AND data ->> 'drmSystem' = ${drmSystem}
        AND data -> 'sandbox' IS NULL
      ORDER BY id DESC LIMIT ${most}
    ) AS newest GROUP BY code ORDER BY code`;
}
