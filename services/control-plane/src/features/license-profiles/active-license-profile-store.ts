import type { Prisma } from '../../generated/prisma/client';

/** Whether the project has this license profile and it is active; if so, it stays active until the transaction ends. */
export async function lockActiveLicenseProfile(
  transaction: Prisma.TransactionClient,
  projectId: string,
  licenseProfileId: string,
): Promise<boolean> {
  const found = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM license_profile
    WHERE id = ${licenseProfileId}::uuid AND project_id = ${projectId}::uuid AND status = 'active'
    FOR SHARE`;
  return found.length > 0;
}
