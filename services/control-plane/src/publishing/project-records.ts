import type { Database, Transaction } from '../database/database';
import { type DocumentKind, Prisma } from '../generated/prisma/client';
import { isRestrictedEndUser } from './restricted-end-users';

/** Sorts before every id. */
export const noId = '00000000-0000-0000-0000-000000000000';

/** Maximum number counted per kind, because sizes are only used to order projects. */
const maximumCounted = 1_000;

/** Ids of the records that playback must know of projects, by kind. */
const idsOf: Record<DocumentKind, (projectIds: string[]) => Prisma.Sql> = {
  organization: (projectIds) => Prisma.sql`SELECT organization_id FROM project WHERE id = ANY(${projectIds}::uuid[])`,
  environment: (projectIds) => Prisma.sql`SELECT id FROM environment WHERE project_id = ANY(${projectIds}::uuid[])`,
  apiClient: (projectIds) => Prisma.sql`SELECT id FROM api_client WHERE project_id = ANY(${projectIds}::uuid[])`,
  licenseProfile: (projectIds) =>
    Prisma.sql`SELECT id FROM license_profile WHERE project_id = ANY(${projectIds}::uuid[])`,
  content: (projectIds) => Prisma.sql`
    SELECT content_asset.id FROM content_asset JOIN environment ON environment.id = environment_id
    WHERE project_id = ANY(${projectIds}::uuid[])`,
  endUser: (projectIds) => Prisma.sql`
    SELECT id FROM end_user WHERE project_id = ANY(${projectIds}::uuid[]) AND ${isRestrictedEndUser}`,
};

/** Ids of records of the projects, each once, in order, starting after the given one. */
export async function recordIds(
  prisma: Database,
  kind: DocumentKind,
  { projectIds, after, limit }: { projectIds: string[]; after: string; limit: number },
): Promise<{ id: string }[]> {
  return prisma.$queryRaw`
    SELECT DISTINCT id FROM (${idsOf[kind](projectIds)}) AS record (id)
    WHERE id > ${after}::uuid ORDER BY id LIMIT ${limit}`;
}

/** Ids of projects in order, starting after the given one. */
export async function projectIdsAfter(prisma: Database, after: string, limit: number): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM project WHERE id > ${after}::uuid ORDER BY id LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}

export interface SizedProject {
  id: string;
  /** Number of records, counted up to a maximum per kind. */
  size: number;
}

/** The projects with their sizes. */
export async function sizesOf(prisma: Database, projectIds: string[]): Promise<SizedProject[]> {
  // Ordered by an index, so that it is used whatever the statistics say: if one project has nearly all end users,
  // PostgreSQL would otherwise read the whole table for each of the others.
  return prisma.$queryRaw<SizedProject[]>`
    SELECT project.id, (
      (SELECT count(*) FROM environment WHERE project_id = project.id)
      + (SELECT count(*) FROM (
          SELECT 1 FROM api_client WHERE project_id = project.id
          ORDER BY created_at, id LIMIT ${maximumCounted}) AS counted)
      + (SELECT count(*) FROM (
          SELECT 1 FROM license_profile WHERE project_id = project.id
          ORDER BY created_at, id LIMIT ${maximumCounted}) AS counted)
      + (SELECT count(*) FROM environment CROSS JOIN LATERAL (
          SELECT 1 FROM content_asset WHERE environment_id = environment.id
          ORDER BY content_asset.created_at, content_asset.id LIMIT ${maximumCounted}) AS counted
        WHERE project_id = project.id)
      + (SELECT count(*) FROM (
          SELECT 1 FROM end_user WHERE project_id = project.id
          ORDER BY created_at, id LIMIT ${maximumCounted}) AS counted)
    )::integer AS size
    FROM project WHERE id = ANY(${projectIds}::uuid[])`;
}

/** The projects with a lost environment that waits for end users and therefore has a bulk entry. */
export async function projectsWaiting(prisma: Database, projectIds: string[]): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT environment.project_id AS id
    FROM environment
    JOIN published_document ON published_document.document_kind = 'environment'
      AND published_document.document_id = environment.id AND published_document.revision = 0
    JOIN outbox_entry ON outbox_entry.document_kind = 'environment' AND outbox_entry.document_id = environment.id
    WHERE environment.project_id = ANY(${projectIds}::uuid[]) AND outbox_entry.bulk`;
  return rows.map(({ id }) => id);
}

/** The projects of end users. */
export async function projectsOfEndUsers(prisma: Database, ids: string[]): Promise<string[]> {
  const rows = await prisma.endUser.findMany({ where: { id: { in: ids } }, select: { projectId: true } });
  return [...new Set(rows.map(({ projectId }) => projectId))];
}

/** Whether the environment's project has only environments. Null if there is no such environment. */
export async function newProjectOf(prisma: Transaction, environmentId: string): Promise<string | null> {
  const [row] = await prisma.$queryRaw<{ id: string }[]>`
    SELECT project_id AS id FROM environment
    WHERE id = ${environmentId}::uuid
      AND NOT EXISTS (SELECT FROM end_user WHERE end_user.project_id = environment.project_id)
      AND NOT EXISTS (SELECT FROM api_client WHERE api_client.project_id = environment.project_id)
      AND NOT EXISTS (SELECT FROM license_profile WHERE license_profile.project_id = environment.project_id)
      AND NOT EXISTS (
        SELECT FROM content_asset JOIN environment AS of_content ON of_content.id = content_asset.environment_id
        WHERE of_content.project_id = environment.project_id)`;
  return row?.id ?? null;
}
