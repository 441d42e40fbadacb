import { randomUUID } from 'node:crypto';
import { type ControlPlaneOperations, controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../testing/records';
import { recordsOf } from '../testing/tenant-records';

type OperationId = keyof ControlPlaneOperations;
const roles = ['viewer', 'editor', 'admin', 'owner', 'operator'] as const;
type Role = (typeof roles)[number];

/** The lowest role that may call each operation; each role includes the previous ones. */
const lowestRole: Record<OperationId, Role | 'everybody'> = {
  getLiveness: 'everybody',
  getReadiness: 'everybody',
  listPlans: 'everybody',
  getPlatformCapabilities: 'everybody',
  registerCompany: 'everybody',
  listOrganizations: 'viewer',
  getOrganization: 'viewer',
  listProjects: 'viewer',
  getProject: 'viewer',
  listEnvironments: 'viewer',
  getEnvironment: 'viewer',
  getDrmSystem: 'viewer',
  listRights: 'viewer',
  getRights: 'viewer',
  listLicenseProfiles: 'viewer',
  getLicenseProfile: 'viewer',
  listContentAssets: 'viewer',
  getContentAsset: 'viewer',
  listEndUsers: 'viewer',
  getEndUser: 'viewer',
  createRights: 'editor',
  updateRights: 'editor',
  archiveRights: 'editor',
  restoreRights: 'editor',
  createLicenseProfile: 'editor',
  updateLicenseProfile: 'editor',
  archiveLicenseProfile: 'editor',
  restoreLicenseProfile: 'editor',
  createContentAsset: 'editor',
  updateContentAsset: 'editor',
  archiveContentAsset: 'editor',
  restoreContentAsset: 'editor',
  publishContentAsset: 'editor',
  unpublishContentAsset: 'editor',
  synchronizeEndUser: 'editor',
  updateEndUser: 'editor',
  eraseEndUser: 'editor',
  createProject: 'admin',
  updateProject: 'admin',
  archiveProject: 'admin',
  restoreProject: 'admin',
  createEnvironment: 'admin',
  updateEnvironment: 'admin',
  archiveEnvironment: 'admin',
  restoreEnvironment: 'admin',
  configureDrmSystem: 'admin',
  updateDrmSystem: 'admin',
  removeDrmSystem: 'admin',
  testDrmSystem: 'admin',
  listApiClients: 'admin',
  createApiClient: 'admin',
  getApiClient: 'admin',
  updateApiClient: 'admin',
  rotateApiClient: 'admin',
  revokeApiClient: 'admin',
  listManagementKeys: 'admin',
  listAuditEvents: 'admin',
  createManagementKey: 'owner',
  updateManagementKey: 'owner',
  rotateManagementKey: 'owner',
  revokeManagementKey: 'owner',
  updateOrganization: 'owner',
  archiveOrganization: 'operator',
  restoreOrganization: 'operator',
};

// Operations that archive come last: archived records are answered differently, for reasons other than access.
const last = ['eraseEndUser', 'archiveEnvironment', 'archiveProject', 'archiveOrganization'];
const order = ({ operationId }: { operationId: string }) => last.indexOf(operationId);
const operations = operationsOf(controlPlaneDocument).sort((a, b) => order(a) - order(b));
const secured = operations.filter(({ operationId }) => lowestRole[operationId as OperationId] !== 'everybody');

let controlPlane: TestControlPlane;
let ours: TestTenant;
let ourRecords: Record<string, string>;
let theirRecords: Record<string, string>;
let keys: Record<Role | 'expired' | 'revoked', string>;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  ours = await createTenant(controlPlane);
  ourRecords = await recordsOf(controlPlane, ours);
  theirRecords = await recordsOf(controlPlane, await createTenant(controlPlane));
  const { now } = controlPlane.clock;
  const keyOf = (role: Exclude<Role, 'operator'>, ended: object = {}) =>
    createManagementKey(controlPlane, ours.organizationId, { role, ...ended });
  keys = {
    viewer: await keyOf('viewer'),
    editor: await keyOf('editor'),
    admin: await keyOf('admin'),
    owner: await keyOf('owner'),
    operator: operatorKey,
    expired: await keyOf('owner', { expiresAt: now }),
    revoked: await keyOf('owner', { revokedAt: now }),
  };
});

/**
 * Calls an operation, with a body that its schema rejects if it takes one. Returns the response without
 * request-specific parts.
 */
async function call({ method, path }: (typeof operations)[number], records: Record<string, string>, key?: string) {
  const url = path.replaceAll(/\{(\w+)\}/g, (_braces, parameter: string) => records[parameter] ?? parameter);
  const request = controlPlane.api[method](url).set('X-Request-Id', 'the-same-request');
  if (key !== undefined) request.set(bearer(key));
  const { status, headers, text } =
    method === 'get' || method === 'delete' ? await request : await request.send({ no: 1 });
  const { date: _date, 'content-length': _length, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(url, '<path>') };
}

test('the matrix has a row for every operation', () => {
  expect(Object.keys(lowestRole).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
});

// Runs before the rows below, which archive records.
describe.each(secured.filter(({ path }) => path.includes('{')))("another organization's record", (operation) => {
  const { operationId } = operation;
  const lowest = lowestRole[operationId as OperationId];

  test.each(roles.filter((role) => role !== 'operator'))(
    `is hidden from the %s calling ${operationId}`,
    async (role) => {
      const unknown = Object.fromEntries(Object.keys(theirRecords).map((parameter) => [parameter, randomUUID()]));
      const foreign = await call(operation, theirRecords, keys[role]);
      expect(foreign).toEqual(await call(operation, { ...unknown, drmSystem: 'widevine' }, keys[role]));
      const may = roles.indexOf(role) >= roles.indexOf(lowest as Role);
      expect(foreign.status).toBe(may ? 404 : 403);
    },
  );
});

describe.each(operations)('$operationId', (operation) => {
  const lowest = lowestRole[operation.operationId as OperationId];
  const isSecured = lowest !== 'everybody';

  test(`is open to ${lowest}${isSecured ? ' and higher roles' : ''}, and to nobody else`, async () => {
    for (const role of roles) {
      const may = !isSecured || roles.indexOf(role) >= roles.indexOf(lowest);
      const { status } = await call(operation, ourRecords, keys[role]);
      if (may) expect({ role, refused: [401, 403, 404].includes(status) }).toEqual({ role, refused: false });
      else expect({ role, status }).toEqual({ role, status: 403 });
    }
  });

  if (!isSecured) return;

  test.each(['none', 'expired', 'revoked'] as const)('rejects a credential that is %s', async (kind) => {
    const { status, text } = await call(operation, ourRecords, kind === 'none' ? undefined : keys[kind]);
    expect(status).toBe(401);
    expect(JSON.parse(text).code).toBe('authentication_required');
  });
});
