import type { Transaction } from '../database/database';
import type { Prisma } from '../generated/prisma/client';

/** What uses a record: records of one kind by name, or a count of those without names. */
export type Need = NamedNeed | CountedNeed;

interface NamedNeed {
  /** Such as `license profile`. */
  noun: string;
  names: string[];
}

interface CountedNeed {
  /** Such as `active session`. */
  noun: string;
  count: number;
}

/** How many names of a use are worth reading: one more than are shown. */
export const namesRead = 6;

const oldestFirst = { orderBy: [{ createdAt: 'asc' as const }, { id: 'asc' as const }], take: namesRead };

/** Environments that are in use, or that return with their project: they keep their settings while it is archived. */
const inUse = { OR: [{ status: 'active' }, { archivedWithProject: true }] } satisfies Prisma.EnvironmentWhereInput;

/** The active license profiles that have these rights. */
export async function profilesNeedingRights(transaction: Transaction, rightsId: string): Promise<Need> {
  const profiles = await transaction.licenseProfile.findMany({
    where: { rightsId, status: 'active' },
    select: { name: true },
    ...oldestFirst,
  });
  return { noun: 'license profile', names: profiles.map(({ name }) => name) };
}

/** The environments of the project that have the license profile with this name as their default. */
export async function environmentsNeedingProfile(
  transaction: Transaction,
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
 * The content that has the license profile as its ceiling. Archived content, and content of a separately archived
 * environment, does not count.
 */
export async function contentNeedingProfile(transaction: Transaction, licenseProfileId: string): Promise<Need> {
  const contents = await transaction.contentAsset.findMany({
    where: { licenseProfileId, status: { not: 'archived' }, environment: inUse },
    select: { contentId: true },
    ...oldestFirst,
  });
  return { noun: 'content asset', names: contents.map(({ contentId }) => contentId) };
}
