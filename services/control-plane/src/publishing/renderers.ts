import {
  apiClientDocument,
  contentDocument,
  environmentDocument,
  organizationDocument,
  publishedKeys,
} from '@multi-drm/contracts';
import type { DocumentKind, Prisma } from '../generated/prisma/client';

export interface RenderedDocument {
  /** Redis key. */
  key: string;
  /** What playback reads: valid by the schemas of the contracts, and nothing beyond them. */
  document: object;
}

/** Reads a record as it is now and renders its document; null where there is no such record. */
type Renderer = (transaction: Prisma.TransactionClient, id: string) => Promise<RenderedDocument | null>;

/** Throws a `ZodError` where the record does not make a valid document. */
export const renderers: Record<DocumentKind, Renderer> = {
  async organization(transaction, id) {
    const organization = await transaction.organization.findUnique({ where: { id } });
    if (organization === null) return null;
    return {
      key: publishedKeys.organization(id),
      document: organizationDocument.parse({ organizationId: id, status: organization.status }),
    };
  },

  async environment(transaction, id) {
    const environment = await transaction.environment.findUnique({
      where: { id },
      include: { project: true, drmSystems: { orderBy: { drmSystem: 'asc' } } },
    });
    if (environment === null) return null;
    return {
      key: publishedKeys.environment(id),
      document: environmentDocument.parse({
        environmentId: id,
        projectId: environment.projectId,
        organizationId: environment.project.organizationId,
        kind: environment.kind,
        settings: {
          defaultLicensePolicyTemplate: environment.defaultLicensePolicyTemplate,
          sessionLifetimeSeconds: environment.sessionLifetimeSeconds,
          maximumConcurrentStreams: environment.maximumConcurrentStreams,
        },
        drmSystems: environment.drmSystems,
      }),
    };
  },

  async content(transaction, id) {
    const content = await transaction.contentAsset.findUnique({ where: { id } });
    if (content === null) return null;
    return {
      key: publishedKeys.content(content.environmentId, content.contentId),
      document: contentDocument.parse({ ...content, contentAssetId: id }),
    };
  },

  async apiClient(transaction, id) {
    const client = await transaction.apiClient.findUnique({ where: { id }, include: { project: true } });
    if (client === null) return null;
    return {
      key: publishedKeys.apiClient(client.clientId),
      document: apiClientDocument.parse({
        apiClientId: id,
        clientId: client.clientId,
        projectId: client.projectId,
        organizationId: client.project.organizationId,
        accessKeyHashes: [client.accessKeyHash],
        permissions: client.permissions,
        environmentIds: client.allEnvironments ? null : client.environmentIds,
        expiresAt: client.expiresAt?.toISOString() ?? null,
      }),
    };
  },
};
