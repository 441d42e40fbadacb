import type { Prisma } from '../generated/prisma/client';

/** The id of the organization that a project belongs to. */
export async function organizationOfProject(transaction: Prisma.TransactionClient, projectId: string): Promise<string> {
  const { organizationId } = await transaction.project.findUniqueOrThrow({
    where: { id: projectId },
    select: { organizationId: true },
  });
  return organizationId;
}
