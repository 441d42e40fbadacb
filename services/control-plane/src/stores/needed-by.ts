import type { Transaction } from '../database/database';
import type { Prisma } from '../generated/prisma/client';

/** What uses a record: a number of records of one kind, and the names of the oldest if they have names. */
export type Need = CountedNeed | NamedNeed;

interface CountedNeed {
  /** Such as `active session`. */
  noun: string;
  count: number;
}

interface NamedNeed extends CountedNeed {
  /** The oldest, at most `namesShown`. */
  names: string[];
  /** The request that lists them all. */
  list: string;
}

/** How many of the records that use another are named. */
export const namesShown = 10;

const oldest = { orderBy: [{ createdAt: 'asc' as const }, { id: 'asc' as const }], take: namesShown };

/** Makes a need of the names of the oldest records; counts them only if there may be more. */
async function needOf(
  { noun, list }: Pick<NamedNeed, 'noun' | 'list'>,
  names: string[],
  count: () => Promise<number>,
): Promise<Need> {
  return { noun, list, names, count: names.length < namesShown ? names.length : await count() };
}

/** Environments that are in use, or that return with their project: they keep their settings while it is archived. */
const inUse = { OR: [{ status: 'active' }, { archivedWithProject: true }] } satisfies Prisma.EnvironmentWhereInput;

/** The active license profiles of the project that have these rights. */
export async function profilesNeedingRights(
  transaction: Transaction,
  { id, projectId }: { id: string; projectId: string },
): Promise<Need> {
  const where = { rightsId: id, status: 'active' } satisfies Prisma.LicenseProfileWhereInput;
  const profiles = await transaction.licenseProfile.findMany({ where, select: { name: true }, ...oldest });
  return needOf(
    { noun: 'license profile', list: `GET /api/v1/management/projects/${projectId}/license-profiles?rightsId=${id}` },
    profiles.map(({ name }) => name),
    () => transaction.licenseProfile.count({ where }),
  );
}

/** The environments of the project that have the license profile with this name as their default. */
export async function environmentsNeedingProfile(
  transaction: Transaction,
  { projectId, name }: { projectId: string; name: string },
): Promise<Need> {
  const where = {
    projectId,
    defaultLicensePolicyTemplate: name,
    ...inUse,
  } satisfies Prisma.EnvironmentWhereInput;
  const environments = await transaction.environment.findMany({ where, select: { name: true }, ...oldest });
  return needOf(
    { noun: 'environment', list: `GET /api/v1/management/projects/${projectId}/environments` },
    environments.map((environment) => environment.name),
    () => transaction.environment.count({ where }),
  );
}

/**
 * The content that has the license profile as its ceiling. Archived content, and content of a separately archived
 * environment, does not count.
 */
export async function contentNeedingProfile(transaction: Transaction, licenseProfileId: string): Promise<Need> {
  const where = {
    licenseProfileId,
    status: { not: 'archived' },
    environment: inUse,
  } satisfies Prisma.ContentAssetWhereInput;
  const contents = await transaction.contentAsset.findMany({ where, select: { contentId: true }, ...oldest });
  const list = `For each environment, GET /api/v1/management/environments/{environmentId}/content?licenseProfileId=${licenseProfileId}`;
  return needOf(
    { noun: 'content asset', list },
    contents.map(({ contentId }) => contentId),
    () => transaction.contentAsset.count({ where }),
  );
}

/** The published content of environments. */
export async function publishedContentOf(transaction: Transaction, environmentIds: string[]): Promise<Need> {
  const where = { environmentId: { in: environmentIds }, status: 'published' } satisfies Prisma.ContentAssetWhereInput;
  const contents = await transaction.contentAsset.findMany({ where, select: { contentId: true }, ...oldest });
  return needOf(
    {
      noun: 'published content asset',
      list: 'GET /api/v1/management/environments/{environmentId}/content?status=published',
    },
    contents.map(({ contentId }) => contentId),
    () => transaction.contentAsset.count({ where }),
  );
}
