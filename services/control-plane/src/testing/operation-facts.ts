import { type ControlPlaneOperations, controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import { documentExamples } from '@multi-drm/test-kit';
import type { Role } from '../access/permissions';
import type { RecordParameter } from './record-kinds';

export type OperationId = keyof ControlPlaneOperations;

/** What the OpenAPI document does not say about an operation. */
interface Row {
  /** The lowest role that may call it; each role includes the previous ones. */
  role: 'everybody' | Role | 'operator';
  /** Set if it is not a GET, and still changes no record. */
  changesNothing?: true;
}

/** A row for every operation. */
export const operationRows: Record<OperationId, Row> = {
  getLiveness: { role: 'everybody' },
  getReadiness: { role: 'everybody' },
  getPlatformCapabilities: { role: 'everybody' },
  listPlans: { role: 'everybody' },
  registerCompany: { role: 'everybody' },

  listOrganizations: { role: 'viewer' },
  getOrganization: { role: 'viewer' },
  updateOrganization: { role: 'owner' },
  archiveOrganization: { role: 'operator' },
  restoreOrganization: { role: 'operator' },

  listManagementKeys: { role: 'admin' },
  createManagementKey: { role: 'owner' },
  updateManagementKey: { role: 'owner' },
  rotateManagementKey: { role: 'owner' },
  revokeManagementKey: { role: 'owner' },

  listAuditEvents: { role: 'admin' },

  listProjects: { role: 'viewer' },
  createProject: { role: 'admin' },
  getProject: { role: 'viewer' },
  updateProject: { role: 'admin' },
  archiveProject: { role: 'admin' },
  restoreProject: { role: 'admin' },

  listEnvironments: { role: 'viewer' },
  createEnvironment: { role: 'admin' },
  getEnvironment: { role: 'viewer' },
  updateEnvironment: { role: 'admin' },
  archiveEnvironment: { role: 'admin' },
  restoreEnvironment: { role: 'admin' },

  getDrmSystem: { role: 'viewer' },
  configureDrmSystem: { role: 'admin' },
  updateDrmSystem: { role: 'admin' },
  removeDrmSystem: { role: 'admin' },
  testDrmSystem: { role: 'admin', changesNothing: true },

  listRights: { role: 'viewer' },
  createRights: { role: 'editor' },
  getRights: { role: 'viewer' },
  updateRights: { role: 'editor' },
  archiveRights: { role: 'editor' },
  restoreRights: { role: 'editor' },

  listLicenseProfiles: { role: 'viewer' },
  createLicenseProfile: { role: 'editor' },
  getLicenseProfile: { role: 'viewer' },
  updateLicenseProfile: { role: 'editor' },
  archiveLicenseProfile: { role: 'editor' },
  restoreLicenseProfile: { role: 'editor' },

  listContentAssets: { role: 'viewer' },
  createContentAsset: { role: 'editor' },
  getContentAsset: { role: 'viewer' },
  updateContentAsset: { role: 'editor' },
  archiveContentAsset: { role: 'editor' },
  restoreContentAsset: { role: 'editor' },
  publishContentAsset: { role: 'editor' },
  unpublishContentAsset: { role: 'editor' },

  listEndUsers: { role: 'viewer' },
  synchronizeEndUser: { role: 'editor' },
  getEndUser: { role: 'viewer' },
  updateEndUser: { role: 'editor' },
  blockEndUser: { role: 'support' },
  unblockEndUser: { role: 'support' },
  eraseEndUser: { role: 'editor' },

  listSessions: { role: 'viewer' },
  getSession: { role: 'viewer' },
  evaluateSession: { role: 'viewer', changesNothing: true },
  terminateSession: { role: 'support' },
  terminateSessions: { role: 'support' },

  listEvents: { role: 'viewer' },
  getEvent: { role: 'viewer' },

  listWebhookEndpoints: { role: 'admin' },
  createWebhookEndpoint: { role: 'admin' },
  getWebhookEndpoint: { role: 'admin' },
  updateWebhookEndpoint: { role: 'admin' },
  rotateWebhookEndpoint: { role: 'admin' },
  removeWebhookEndpoint: { role: 'admin' },
  testWebhookEndpoint: { role: 'admin', changesNothing: true },
  replayWebhookEvents: { role: 'admin' },
  listWebhookDeliveries: { role: 'admin' },
  retryWebhookDelivery: { role: 'admin' },

  getEnvironmentUsage: { role: 'viewer' },
  getEnvironmentLive: { role: 'viewer' },
  getOrganizationUsage: { role: 'viewer' },

  listApiClients: { role: 'admin' },
  createApiClient: { role: 'admin' },
  getApiClient: { role: 'admin' },
  updateApiClient: { role: 'admin' },
  rotateApiClient: { role: 'admin' },
  revokeApiClient: { role: 'admin' },
};

interface DocumentedOperation {
  parameters?: { $ref?: string }[];
  responses: Record<string, { headers?: { ETag?: object } }>;
}

const examples = documentExamples(controlPlaneDocument);

/** Every operation that has a row, with that row and what the document says about it, in the document's order. */
export const operationFacts = operationsOf(controlPlaneDocument).flatMap((operation) => {
  const operationId = operation.operationId as OperationId;
  const row: Row | undefined = operationRows[operationId];
  if (row === undefined) return []; // A test names it.
  const { method, path } = operation;
  const item = controlPlaneDocument.paths[path] ?? {};
  const { parameters = [], responses } = item[method] as DocumentedOperation;
  const takes = (parameter: string) => parameters.some(({ $ref }) => $ref === `#/components/parameters/${parameter}`);
  const operationExamples = examples.filter((example) => example.operationId === operationId);
  return [
    {
      ...operation,
      ...row,
      operationId,
      /** The kind of the innermost record that its path names. */
      record: path.match(/\w+(?=\}[^{]*$)/)?.[0] as RecordParameter | undefined,
      /** Whether it changes records. */
      changes: method !== 'get' && row.changesNothing === undefined,
      /** Whether it creates a record in the list that has its path. */
      creates: method === 'post' && item.get !== undefined,
      ifMatch: takes('IfMatch') ? 'required' : takes('OptionalIfMatch') ? 'optional' : undefined,
      /** Whether its successful response has an `ETag`. */
      hasEtag: Object.entries(responses).some(([status, { headers }]) => status.startsWith('2') && headers?.ETag),
      /** An example of each body that it takes, or one without a body. */
      examples: operationExamples,
      /** The body of the first example; undefined if it takes none. */
      exampleBody: operationExamples[0]?.body?.value as object | undefined,
    },
  ];
});

export type OperationFacts = (typeof operationFacts)[number];

/** The path of an operation on these records, by path parameter. */
export const pathOn = ({ path }: { path: string }, records: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_braces, parameter: string) => records[parameter] ?? parameter);
