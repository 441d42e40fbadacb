import type { Prisma } from '../../generated/prisma/client';
import { type Need, namesRead } from '../../records/require-unused';

const oldestFirst = { orderBy: [{ createdAt: 'asc' as const }, { id: 'asc' as const }], take: namesRead };

/** Environments that are in use, or that return with their project: they keep their settings while it is archived. */
const inUse = { OR: [{ status: 'active' }, { archivedWithProject: true }] } satisfies Prisma.EnvironmentWhereInput;

/** The environments of the profile's project that use it as their default. */
export async function environmentsNeeding(
  transaction: Prisma.TransactionClient,
  { projectId, name }: { projectId: string; name: string },
): Promise<Need> {
  const environments = await transaction.environment.findMany({
    where: { projectId, defaultLicensePolicyTemplate: name, ...inUse },
    select: { name: true },
    ...oldestFirst,
  });
  return { noun: 'environment', names: environments.map((environment) => environment.name) };
}

/**
 * The content that has the profile as its ceiling. Archived content, and content of a separately archived environment,
 * does not count.
 */
export async function contentNeeding(transaction: Prisma.TransactionClient, { id }: { id: string }): Promise<Need> {
  const contents = await transaction.contentAsset.findMany({
    where: { licenseProfileId: id, status: { not: 'archived' }, environment: inUse },
    select: { contentId: true },
    ...oldestFirst,
  });
  return { noun: 'content asset', names: contents.map(({ contentId }) => contentId) };
}
