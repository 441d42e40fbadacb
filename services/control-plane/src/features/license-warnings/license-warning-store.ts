import { builtInTemplateNames, findBuiltInTemplate, type TrackTypeHeights } from '@multi-drm/contracts';
import type { DrmSystem, Prisma, PrismaClient } from '../../generated/prisma/client';
import type { LicensedSystem, NamedPolicy, PublishedContent } from './license-warnings';

/** The environment settings that license warnings depend on. */
export interface LicensePlan {
  projectId: string;
  heights: TrackTypeHeights;
  /** The enabled DRM systems. */
  systems: LicensedSystem[];
  /** The name of the environment's default policy; null if it has none. */
  defaultName: string | null;
}

/** Maximum number of content assets checked, newest first. */
const mostContents = 1_000;
/** Content assets read at once: the keys of one may take 10 KB. */
const pageSize = 25;

export const builtInPolicies: readonly NamedPolicy[] = builtInTemplateNames.map((name) => {
  const { maximumHeight = 4320, tracks = [] } = findBuiltInTemplate(name) ?? {};
  return { name, maximumHeight, tracks };
});

/** Reads the records that license warnings depend on. */
export class LicenseWarningStore {
  constructor(private readonly prisma: PrismaClient) {}

  async readPlan(environmentId: string): Promise<LicensePlan> {
    const { drmSystems, ...environment } = await this.prisma.environment.findUniqueOrThrow({
      where: { id: environmentId },
      select: {
        projectId: true,
        trackTypeHeights: true,
        defaultLicensePolicyTemplate: true,
        drmSystems: { orderBy: { drmSystem: 'asc' }, select: { drmSystem: true, enabled: true, backend: true } },
      },
    });
    return {
      projectId: environment.projectId,
      // Safe: only what the API accepts is stored.
      heights: environment.trackTypeHeights as TrackTypeHeights,
      systems: drmSystems.flatMap(({ drmSystem, enabled, backend }) =>
        enabled && backend !== null ? [{ drmSystem, backend }] : [],
      ),
      defaultName: environment.defaultLicensePolicyTemplate,
    };
  }

  /** Active license profiles, oldest first. */
  async readProfiles(where: Prisma.LicenseProfileWhereInput): Promise<(NamedPolicy & { id: string })[]> {
    const found = await this.prisma.licenseProfile.findMany({
      where: { ...where, status: 'active' },
      select: { id: true, name: true, maximumHeight: true, tracks: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    // Safe, as above.
    return found.map((profile) => ({ ...profile, tracks: profile.tracks as unknown as NamedPolicy['tracks'] }));
  }

  /**
   * The newest published content of an environment with a manifest for the DRM system, page by page: large reads would
   * delay other requests. Manifests, the largest part of content, are not read.
   */
  async *readPublished(environmentId: string, drmSystem: DrmSystem): AsyncGenerator<PublishedContent[]> {
    const newest = await this.prisma.contentAsset.findMany({
      where: {
        environmentId,
        status: 'published',
        kind: { not: 'document' },
        manifests: { array_contains: [{ drmSystems: [drmSystem] }] },
      },
      select: { id: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: mostContents,
    });
    for (let start = 0; start < newest.length; start += pageSize) {
      const ids = newest.slice(start, start + pageSize).map(({ id }) => id);
      const found = await this.prisma.contentAsset.findMany({
        where: { id: { in: ids } },
        select: { contentId: true, kind: true, keys: true },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
      // Safe, as above.
      yield found as unknown as PublishedContent[];
    }
  }
}
