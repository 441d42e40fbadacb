import type { Transaction } from '../database/database';

/** A license profile that environments need. */
export interface NeededProfile {
  id: string;
  name: string;
  status: string;
}

/** Whether the environment's project has an active license profile of this name; if so, it stays active. */
export async function lockActiveProfileOfName(
  transaction: Transaction,
  environmentId: string,
  name: string,
): Promise<boolean> {
  const profiles = await transaction.$queryRaw<unknown[]>`
    SELECT license_profile.id FROM license_profile
    JOIN environment ON environment.project_id = license_profile.project_id
    WHERE environment.id = ${environmentId}::uuid
      AND license_profile.name = ${name} AND license_profile.status = 'active'
    FOR SHARE OF license_profile`;
  return profiles.length > 0;
}

/**
 * The project's license profiles with these names or needed by content of these environments; each keeps its status
 * until the transaction ends.
 */
export async function lockNeededProfiles(
  transaction: Transaction,
  projectId: string,
  names: string[],
  environmentIds: string[],
): Promise<NeededProfile[]> {
  return transaction.$queryRaw<NeededProfile[]>`
    SELECT id, name, status::text FROM license_profile
    WHERE project_id = ${projectId}::uuid AND (
      name = ANY(${names}::text[])
      OR id IN (
        SELECT license_profile_id FROM content_asset
        WHERE environment_id = ANY(${environmentIds}::text[]::uuid[]) AND status <> 'archived'))
    ORDER BY id FOR SHARE`;
}
