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
import type { DocumentKind, Prisma } from '../generated/prisma/client';
import { findPlan } from '../plans/plans';

export interface RenderedDocument {
  /** Redis key. */
  key: string;
  /** What playback reads: valid by the schemas of the contracts, and nothing beyond them. */
  document: object;
}

/** Reads a record as it is now and renders its documents: none where there is no such record, or not any more. */
type Renderer = (transaction: Prisma.TransactionClient, id: string) => Promise<RenderedDocument[]>;

const notArchived = { not: 'archived' } as const;

/** A project that serves: neither it nor its organization is archived. */
const servingProject = { status: notArchived, organization: { status: notArchived } } as const;

/** Throws a `ZodError` where the record does not make a valid document. */
export const renderers: Record<DocumentKind, Renderer> = {
  async organization(transaction, id) {
    const organization = await transaction.organization.findUnique({ where: { id, status: notArchived } });
    if (organization === null) return [];
    const document = organizationDocument.parse({
      organizationId: id,
      status: organization.status,
      maximumConcurrentStreams: findPlan(organization.planId)?.limits.concurrentStreams ?? null,
    });
    return [{ key: publishedKeys.organization(id), document }];
  },

  // With the license backends of its DRM systems: they change, come and go with their environment, under one revision.
  async environment(transaction, id) {
    const environment = await transaction.environment.findUnique({
      where: { id, status: notArchived, project: servingProject },
      include: { project: true, drmSystems: { orderBy: { drmSystem: 'asc' } } },
    });
    if (environment === null) return [];
    const document = environmentDocument.parse({
      environmentId: id,
      projectId: environment.projectId,
      organizationId: environment.project.organizationId,
      kind: environment.kind,
      settings: environment,
      drmSystems: environment.drmSystems,
    });
    return [{ key: publishedKeys.environment(id), document }, ...environment.drmSystems.map(licenseBackendOf)];
  },

  async content(transaction, id) {
    const content = await transaction.contentAsset.findUnique({
      where: { id, status: notArchived },
      include: { licenseProfile: true },
    });
    if (content === null) return [];
    const document = contentDocument.parse({
      ...content,
      contentAssetId: id,
      keys: contentKeysOf(content.keys),
      licenseProfileName: content.licenseProfile?.name ?? null,
    });
    return [{ key: publishedKeys.content(content.environmentId, content.contentId), document }];
  },

  async apiClient(transaction, id) {
    const client = await transaction.apiClient.findUnique({
      where: { id, revokedAt: null, project: servingProject },
      include: { project: true },
    });
    if (client === null) return [];
    const { previousAccessKeyHash: hash, previousAccessKeyUntil: until } = client;
    const document = apiClientDocument.parse({
      apiClientId: id,
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
  },

  async licenseProfile(transaction, id) {
    const profile = await transaction.licenseProfile.findUnique({
      where: { id, status: notArchived },
      include: { rights: true },
    });
    if (profile === null) return [];
    const document = licenseProfileDocument.parse({
      ...profile,
      licenseProfileId: id,
      rights: profile.rights === null ? null : rightsMembers(profile.rights),
    });
    return [{ key: publishedKeys.licenseProfile(profile.projectId, profile.name), document }];
  },

  async endUser(transaction, id) {
    const user = await transaction.endUser.findUnique({ where: { id, status: notArchived } });
    const subject = user?.subject ?? null;
    if (user === null || subject === null) return [];
    const environments = await transaction.environment.findMany({
      where: { projectId: user.projectId, status: notArchived, project: servingProject },
      select: { id: true },
      orderBy: { id: 'asc' },
    });
    return environments.map(({ id: environmentId }) => ({
      key: publishedKeys.endUser(environmentId, subject),
      document: endUserDocument.parse({ ...user, userId: id, environmentId }),
    }));
  },
};

/** How a DRM system works: its secrets as they are stored, encrypted for their place. */
function licenseBackendOf(row: Prisma.EnvironmentDrmSystemGetPayload<object>): RenderedDocument {
  const { environmentId, drmSystem, backend: type, backendSettings, backendSecrets, version, updatedAt } = row;
  const document = licenseBackendDocument.parse({
    ...row,
    backend: type === null ? null : { type, settings: backendSettings ?? {}, encryptedSecrets: backendSecrets ?? {} },
    // A version alone comes a second time where PostgreSQL came back from a backup.
    settingsVersion: `${version}-${updatedAt.getTime()}`,
  });
  return { key: publishedKeys.licenseBackend(environmentId, drmSystem), document };
}

/** Keys of content as they are stored, their content keys encrypted for their place. */
function contentKeysOf(stored: Prisma.JsonValue): unknown {
  if (!Array.isArray(stored)) return stored;
  return stored.map((entry) => (isObject(entry) ? { ...entry, encryptedKey: entry.key ?? null } : entry));
}

function isObject(value: Prisma.JsonValue): value is Prisma.JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rights as a license profile's document carries them. */
function rightsMembers(rights: Prisma.RightsGetPayload<object>) {
  return {
    ...rights,
    atStreamLimit: rights.atStreamLimit === 'evict_oldest' ? 'evict-oldest' : rights.atStreamLimit,
    availableFrom: rights.availableFrom?.toISOString() ?? null,
    availableUntil: rights.availableUntil?.toISOString() ?? null,
    allowedClientPlatforms: rights.allowedClientPlatforms.length === 0 ? null : rights.allowedClientPlatforms,
  };
}
