import {
  apiClientDocument,
  contentDocument,
  endUserDocument,
  environmentDocument,
  licenseBackendDocument,
  licenseProfileDocument,
  organizationDocument,
  publishedKeys,
} from '@multi-drm/contracts';
import { z } from 'zod';
import type { Transaction } from '../database/database';
import type { DocumentKind, Prisma } from '../generated/prisma/client';
import { findPlan } from '../plans/plans';
import { restrictedEndUsers } from './restricted-end-users';
import { readSubjectBuckets } from './subject-hash-key';

export interface RenderedDocument {
  /** A Redis key. */
  key: string;
  /** The document that playback reads: valid by the schemas of the contracts, without extra fields. */
  document: object;
}

/** Renders the documents of a record. Throws a `ZodError` if the record does not produce valid ones. */
type Render = () => RenderedDocument[];

/** Reads the current records. Records that do not exist, or no longer have documents, are not in the map. */
type BatchRenderer = (transaction: Transaction, ids: string[]) => Promise<Map<string, Render>>;

/** The hashes of an erased viewer, by environment. */
const environmentHashes = z.record(z.string(), z.string());

const notArchived = { not: 'archived' } as const;

/** An active project: neither it nor its organization is archived. */
const servingProject = { status: notArchived, organization: { status: notArchived } } as const;

function byId<Row extends { id: string }>(rows: Row[], render: (row: Row) => RenderedDocument[]): Map<string, Render> {
  return new Map(rows.map((row) => [row.id, () => render(row)]));
}

export const batchRenderers: Record<DocumentKind, BatchRenderer> = {
  async organization(transaction, ids) {
    const rows = await transaction.organization.findMany({ where: { id: { in: ids }, status: notArchived } });
    return byId(rows, ({ id, status, planId }) => {
      const document = organizationDocument.parse({
        organizationId: id,
        status,
        maximumConcurrentStreams: findPlan(planId)?.limits.concurrentStreams ?? null,
      });
      return [{ key: publishedKeys.organization(id), document }];
    });
  },

  // Includes the license backends of its DRM systems: they change, appear and disappear with their environment, under
  // one revision.
  async environment(transaction, ids) {
    const rows = await transaction.environment.findMany({
      where: { id: { in: ids }, status: notArchived, project: servingProject },
      include: { project: true, drmSystems: { orderBy: { drmSystem: 'asc' } } },
    });
    return byId(rows, (environment) => {
      const { id } = environment;
      const document = environmentDocument.parse({
        environmentId: id,
        projectId: environment.projectId,
        organizationId: environment.project.organizationId,
        kind: environment.kind,
        settings: environment,
        drmSystems: environment.drmSystems,
      });
      return [{ key: publishedKeys.environment(id), document }, ...environment.drmSystems.map(licenseBackendOf)];
    });
  },

  async content(transaction, ids) {
    const rows = await transaction.contentAsset.findMany({
      where: { id: { in: ids }, status: notArchived },
      include: { licenseProfile: true },
    });
    return byId(rows, (content) => {
      const document = contentDocument.parse({
        ...content,
        contentAssetId: content.id,
        keys: contentKeysOf(content.keys),
        licenseProfileName: content.licenseProfile?.name ?? null,
      });
      return [{ key: publishedKeys.content(content.environmentId, content.contentId), document }];
    });
  },

  async apiClient(transaction, ids) {
    const rows = await transaction.apiClient.findMany({
      where: { id: { in: ids }, revokedAt: null, project: servingProject },
      include: { project: true },
    });
    return byId(rows, (client) => {
      const { previousAccessKeyHash: hash, previousAccessKeyUntil: until } = client;
      const document = apiClientDocument.parse({
        apiClientId: client.id,
        clientId: client.clientId,
        projectId: client.projectId,
        organizationId: client.project.organizationId,
        accessKeyHashes: [client.accessKeyHash],
        previousAccessKey: hash === null || until === null ? null : { hash, validUntil: until.toISOString() },
        permissions: client.permissions,
        environmentIds: client.allEnvironments ? null : client.environmentIds,
        expiresAt: client.expiresAt?.toISOString() ?? null,
      });
      return [{ key: publishedKeys.apiClient(client.clientId), document }];
    });
  },

  async licenseProfile(transaction, ids) {
    const rows = await transaction.licenseProfile.findMany({
      where: { id: { in: ids }, status: notArchived },
      include: { rights: true },
    });
    return byId(rows, (profile) => {
      const document = licenseProfileDocument.parse({
        ...profile,
        licenseProfileId: profile.id,
        rights: profile.rights === null ? null : rightsMembers(profile.rights),
      });
      return [{ key: publishedKeys.licenseProfile(profile.projectId, profile.name), document }];
    });
  },

  async endUser(transaction, ids) {
    const rows = await transaction.endUser.findMany({
      where: { id: { in: ids }, ...restrictedEndUsers },
      include: { erasedBlock: true },
    });
    const environments = await transaction.environment.findMany({
      where: {
        projectId: { in: [...new Set(rows.map(({ projectId }) => projectId))] },
        status: notArchived,
        project: servingProject,
      },
      select: { id: true, projectId: true },
      orderBy: { id: 'asc' },
    });
    const buckets = await readSubjectBuckets(transaction);
    return byId(rows, ({ subject, erasedBlock, ...user }) => {
      const hashes = environmentHashes.parse(erasedBlock?.environmentHashes ?? {});
      const status = erasedBlock === null ? user.status : 'blocked';
      return environments
        .filter(({ projectId }) => projectId === user.projectId)
        .flatMap(({ id: environmentId }) => {
          const hash = subject === null ? hashes[environmentId] : buckets.hashOf(environmentId, subject);
          if (hash === undefined) return [];
          const document = endUserDocument.parse({ ...user, status, userId: user.id, environmentId });
          return [{ key: publishedKeys.endUser(environmentId, hash), document }];
        });
    });
  },
};

/**
 * Reads the current record and renders its documents: none if there is no such record any more. Rejects with a
 * `ZodError` if the record does not produce valid ones.
 */
export async function renderRecord(
  transaction: Transaction,
  kind: DocumentKind,
  id: string,
): Promise<RenderedDocument[]> {
  return (await batchRenderers[kind](transaction, [id])).get(id)?.() ?? [];
}

/** The configuration of a DRM system, with its secrets as stored: encrypted for their place. */
function licenseBackendOf(row: Prisma.EnvironmentDrmSystemGetPayload<object>): RenderedDocument {
  const { environmentId, drmSystem, backend: type, backendSettings, backendSecrets, version, updatedAt } = row;
  const document = licenseBackendDocument.parse({
    ...row,
    backend: type === null ? null : { type, settings: backendSettings ?? {}, encryptedSecrets: backendSecrets ?? {} },
    // The version alone can repeat if PostgreSQL is restored from a backup.
    settingsVersion: `${version}-${updatedAt.getTime()}`,
  });
  return { key: publishedKeys.licenseBackend(environmentId, drmSystem), document };
}

/** Content keys as stored: encrypted for their place. */
function contentKeysOf(stored: Prisma.JsonValue): unknown {
  if (!Array.isArray(stored)) return stored;
  return stored.map((entry) => (isObject(entry) ? { ...entry, encryptedKey: entry.key ?? null } : entry));
}

function isObject(value: Prisma.JsonValue): value is Prisma.JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rights in the form used in a license profile's document. */
function rightsMembers(rights: Prisma.RightsGetPayload<object>) {
  return {
    ...rights,
    atStreamLimit: rights.atStreamLimit === 'evict_oldest' ? 'evict-oldest' : rights.atStreamLimit,
    availableFrom: rights.availableFrom?.toISOString() ?? null,
    availableUntil: rights.availableUntil?.toISOString() ?? null,
    allowedClientPlatforms: rights.allowedClientPlatforms.length === 0 ? null : rights.allowedClientPlatforms,
  };
}
