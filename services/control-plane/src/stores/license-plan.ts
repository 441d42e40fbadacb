import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { TrackTypeHeights } from '@multi-drm/policy';
import type { Database } from '../database/database';
import type { DrmSystem } from '../generated/prisma/client';

/** What decides which licenses an environment can issue. */
export interface LicensePlan {
  projectId: string;
  heights: TrackTypeHeights;
  /** The enabled DRM systems, each with the type of its license backend. */
  systems: { drmSystem: DrmSystem; backend: string }[];
  /** The name of the environment's default policy; null if it has none. */
  defaultName: string | null;
}

/** The policy of a license profile. */
export interface ProfilePolicy {
  id: string;
  name: string;
  maximumHeight: number;
  tracks: ControlPlaneSchemas['TrackPolicy'][];
}

/** Published content as far as licenses depend on it. */
export interface LicensedContent {
  contentId: string;
  kind: ControlPlaneSchemas['ContentKind'];
  /** `key`: present if the content key itself is stored. */
  keys: (ControlPlaneSchemas['ContentKey'] & { key?: string })[];
}

/** Maximum number of content assets read, newest first. */
const maximumContents = 1_000;
/** Content assets read at a time: the keys of one may take 10 KB. */
const pageSize = 25;

export async function readLicensePlan(database: Database, environmentId: string): Promise<LicensePlan> {
  const { drmSystems, ...environment } = await database.environment.findUniqueOrThrow({
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

/** The policies of active license profiles, oldest first. */
export async function listProfilePolicies(
  database: Database,
  where: { id?: string; projectId?: string; name?: string },
): Promise<ProfilePolicy[]> {
  const found = await database.licenseProfile.findMany({
    where: { ...where, status: 'active' },
    select: { id: true, name: true, maximumHeight: true, tracks: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  // Safe, as above.
  return found.map((profile) => ({ ...profile, tracks: profile.tracks as unknown as ProfilePolicy['tracks'] }));
}

/**
 * The contentIds of published content, newest first, that has a manifest for the DRM system and for none of the enabled
 * ones.
 */
export async function listUnplayedContentIds(
  database: Database,
  environmentId: string,
  drmSystem: DrmSystem,
  enabled: DrmSystem[],
): Promise<string[]> {
  const found = await database.$queryRaw<{ contentId: string }[]>`
    SELECT content_id AS "contentId" FROM (
      SELECT content_id, created_at, id, manifests FROM content_asset
      WHERE environment_id = ${environmentId}::uuid AND status = 'published' AND kind <> 'document'
      ORDER BY created_at DESC, id DESC LIMIT ${maximumContents}::integer
    ) AS newest
    WHERE EXISTS (
      SELECT FROM jsonb_array_elements(manifests) AS manifest
      WHERE manifest->'drmSystems' @> to_jsonb(${drmSystem}::text)
        AND NOT manifest->'drmSystems' ?| ${enabled}::text[])
    ORDER BY created_at DESC, id DESC`;
  return found.map(({ contentId }) => contentId);
}

/**
 * The newest published content of an environment with a manifest for the DRM system, page by page: large reads would
 * delay other requests. Manifests, the largest part of content, are not read.
 */
export async function* readLicensedContent(
  database: Database,
  environmentId: string,
  drmSystem: DrmSystem,
): AsyncGenerator<LicensedContent[]> {
  const newest = await database.contentAsset.findMany({
    where: {
      environmentId,
      status: 'published',
      kind: { not: 'document' },
      manifests: { array_contains: [{ drmSystems: [drmSystem] }] },
    },
    select: { id: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: maximumContents,
  });
  for (let start = 0; start < newest.length; start += pageSize) {
    const ids = newest.slice(start, start + pageSize).map(({ id }) => id);
    const found = await database.contentAsset.findMany({
      where: { id: { in: ids } },
      select: { contentId: true, kind: true, keys: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    // Safe, as above.
    yield found as unknown as LicensedContent[];
  }
}
