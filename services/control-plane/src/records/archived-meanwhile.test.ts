import { type ControlPlaneOperations, controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { newLicenseProfile } from '../testing/license-records';
import { bearer, createTenant, newContent, type TestTenant } from '../testing/records';
import { recordsOf } from '../testing/tenant-records';
import { waitsForLocks } from '../testing/waits-for-locks';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const somebodyWaits = async () => expect(await waitsForLocks(controlPlane.prisma)).toBe(1);

/** Sends a request while its parent is being archived, and commits the archiving once the request waits for it. */
async function sendMeanwhile(
  table: 'project' | 'environment',
  method: 'post' | 'patch',
  path: string,
  body?: object,
): Promise<Response> {
  const headers = { ...bearer(tenant.key), 'If-Match': '*' };
  const send = async () => controlPlane.api[method](`/api/v1/management/${path}`).set(headers).send(body);
  let call: Promise<Response> | undefined;
  await controlPlane.prisma.$transaction(async (transaction) => {
    const data = { status: 'archived' as const };
    if (table === 'project') await transaction.project.update({ where: { id: tenant.projectId }, data });
    else await transaction.environment.update({ where: { id: tenant.development }, data });
    call = send();
    await eventually(somebodyWaits);
  });
  if (call === undefined) throw new Error('nothing was sent');
  return call;
}

type Operation = keyof ControlPlaneOperations;
const operations = operationsOf(controlPlaneDocument).map(({ operationId, method, path }) => ({
  operationId: operationId as Operation,
  method,
  path: path.replace('/api/v1/management/', ''),
}));

/** A body for every create in a project or an environment. */
const creates: { [Create in Operation]?: () => object } = {
  createEnvironment: () => ({ kind: 'staging' }),
  createRights: () => ({ name: 'Rental' }),
  createLicenseProfile: () => newLicenseProfile('Premium'),
  synchronizeEndUser: () => ({ subject: 'student' }),
  createApiClient: () => ({ name: 'Backend', permissions: ['sessions:read'] }),
  createContentAsset: () => newContent(),
};

test('every create in a project or an environment is covered', () => {
  const found = operations.filter(
    ({ method, path }) =>
      method === 'post' && /^(projects|environments)\/\{\w+\}\/[\w-]+$/.test(path) && !path.endsWith('/restore'),
  );
  expect(Object.keys(creates).sort()).toEqual(found.map(({ operationId }) => operationId).sort());
});

test.each(Object.entries(creates))('no %s is acknowledged after the parent was archived', async (operationId, body) => {
  const path = operations.find((operation) => operation.operationId === operationId)?.path ?? '';
  const url = path.replace('{projectId}', tenant.projectId).replace('{environmentId}', tenant.development);
  const table = path.startsWith('projects') ? 'project' : 'environment';
  const { body: answer } = await sendMeanwhile(table, 'post', url, body());
  const detail = `The ${table} is archived: it can be read but not changed.`;
  expect(answer).toMatchObject({ status: 409, code: 'conflict', detail });
});

/** The parent of the record that each operation changes, and a body. */
const changes: { [Update in Operation]?: ['project' | 'environment', object?] } = {
  updateRights: ['project', { name: 'Purchase' }],
  updateLicenseProfile: ['project', { maximumHeight: 720 }],
  updateEndUser: ['project', { displayName: 'Grace' }],
  updateApiClient: ['project', { name: 'Checkout' }],
  rotateApiClient: ['project'],
  updateContentAsset: ['environment', { title: 'Lesson 43' }],
  publishContentAsset: ['environment'],
  unpublishContentAsset: ['environment'],
};

test('every change of a record of a project or an environment is covered', () => {
  const others = /^(organizations|management-keys|projects|environments)\/|\/restore$/;
  const found = operations.filter(
    ({ method, path }) =>
      (method === 'patch' || method === 'post') && /^[\w-]+\/\{\w+\}(\/[\w-]+)?$/.test(path) && !others.test(path),
  );
  expect(Object.keys(changes).sort()).toEqual(found.map(({ operationId }) => operationId).sort());
});

test.each(Object.entries(changes))(
  'no %s is acknowledged after the parent was archived',
  async (operationId, [table, body]) => {
    const records = await recordsOf(controlPlane, tenant);
    const { method, path } = operations.find((operation) => operation.operationId === operationId) ?? {};
    const url = (path ?? '').replace(/\{(\w+)\}/, (_braces, parameter: string) => records[parameter] ?? parameter);
    if (operationId === 'unpublishContentAsset') {
      const publish = `/api/v1/management/content/${records.contentAssetId}/publish`;
      await controlPlane.api.post(publish).set(bearer(tenant.key)).expect(200);
    }
    const { body: answer } = await sendMeanwhile(table, method === 'patch' ? 'patch' : 'post', url, body);
    const detail = `The ${table} is archived: it can be read but not changed.`;
    expect(answer).toMatchObject({ status: 409, code: 'conflict', detail });
  },
);
