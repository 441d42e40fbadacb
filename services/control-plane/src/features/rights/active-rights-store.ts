import type { Prisma } from '../../generated/prisma/client';

/** Whether the project has these rights and they are active; if so, they stay active until the transaction ends. */
export async function lockActiveRights(
  transaction: Prisma.TransactionClient,
  projectId: string,
  rightsId: string,
): Promise<boolean> {
  const found = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM rights
    WHERE id = ${rightsId}::uuid AND project_id = ${projectId}::uuid AND status = 'active'
    FOR SHARE`;
  return found.length > 0;
}
