import { randomUUID } from 'node:crypto';
import { type ControlPlaneOperations, controlPlaneDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import type { Response } from 'supertest';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { newLicenseProfile } from '../testing/license-records';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
/** The project of all records except organizations, projects and environments. */
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

type Method = 'delete' | 'post' | 'put';

/** How to call an operation: the record's path, and the operation's method and suffix. */
interface Case {
  path: () => Promise<string>;
  method: Method;
  /** Appended to the record's path. */
  suffix?: string;
  body?: object;
}

/** Creates a record in the project; returns its path. */
async function create(kind: string, body: object, idField: string): Promise<string> {
  const created = await controlPlane.api
    .post(`/api/v1/management/projects/${tenant.projectId}/${kind}`)
    .set(bearer(tenant.key))
    .send(body)
    .expect(200);
  return `${kind}/${created.body[idField]}`;
}
const another = () => createTenant(controlPlane);
const environment = async () => `environments/${(await another()).development}`;
const content = async () => `content/${await createContent(controlPlane, tenant)}`;
const apiClient = () => create('api-clients', { name: 'Backend', permissions: ['sessions:read'] }, 'apiClientId');

const cases: Partial<Record<keyof ControlPlaneOperations, Case>> = {
  archiveOrganization: { method: 'delete', path: async () => `organizations/${(await another()).organizationId}` },
  archiveProject: { method: 'delete', path: async () => `projects/${(await another()).projectId}` },
  archiveEnvironment: { method: 'delete', path: environment },
  archiveRights: { method: 'delete', path: () => create('rights', { name: 'Rental' }, 'rightsId') },
  archiveLicenseProfile: {
    method: 'delete',
    path: () => create('license-profiles', newLicenseProfile(`profile-${randomUUID()}`), 'licenseProfileId'),
  },
  archiveContentAsset: { method: 'delete', path: content },
  publishContentAsset: { method: 'post', path: content, suffix: '/publish' },
  unpublishContentAsset: { method: 'post', path: content, suffix: '/unpublish' },
  eraseEndUser: { method: 'delete', path: () => create('users', { subject: randomUUID() }, 'userId') },
  rotateApiClient: { method: 'post', path: apiClient, suffix: '/rotate' },
  revokeApiClient: { method: 'delete', path: apiClient },
  configureDrmSystem: {
    method: 'put',
    path: async () => `${await environment()}/drm-systems/widevine`,
    body: { enabled: false },
  },
  removeDrmSystem: { method: 'delete', path: async () => `${await environment()}/drm-systems/widevine` },
};

/** The operator may do all of these. */
const call = async (method: Method | 'get', path: string, ifMatch?: string, body?: object): Promise<Response> =>
  controlPlane.api[method](`/api/v1/management/${path}`)
    .set({ ...bearer(operatorKey), ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) })
    .send(body);

/** The document references its parameters. */
const takesIfMatch = (operation: unknown) => JSON.stringify(operation ?? null).includes('/OptionalIfMatch"');

/** Like `cases`, for operations that restore an archived record. */
const restores: typeof cases = {
  restoreOrganization: { ...cases.archiveOrganization, method: 'post', suffix: '/restore' } as Case,
  restoreProject: { ...cases.archiveProject, method: 'post', suffix: '/restore' } as Case,
  restoreEnvironment: { ...cases.archiveEnvironment, method: 'post', suffix: '/restore' } as Case,
  restoreRights: { ...cases.archiveRights, method: 'post', suffix: '/restore' } as Case,
  restoreLicenseProfile: { ...cases.archiveLicenseProfile, method: 'post', suffix: '/restore' } as Case,
  restoreContentAsset: { ...cases.archiveContentAsset, method: 'post', suffix: '/restore' } as Case,
};

test('operations without a PATCH that are tested here accept If-Match', () => {
  const taking = operationsOf(controlPlaneDocument)
    .filter(({ method, path }) => method !== 'patch' && takesIfMatch(controlPlaneDocument.paths[path]?.[method]))
    .map(({ operationId }) => operationId);
  expect(taking.sort()).toEqual(Object.keys({ ...cases, ...restores }).sort());
});

describe.each(Object.entries(cases))('%s', (_operationId, { path: pathOf, method, suffix = '', body }) => {
  let unchanged: Promise<string> | undefined;

  test.each(['"2"', 'W/"2-gzip"', '1', ''])(
    'with the ETag %j, which does not match, changes nothing',
    async (ifMatch) => {
      unchanged ??= pathOf();
      const path = await unchanged;
      const before = await call('get', path);
      expect(before.headers.etag).toBe('"1"');
      expect(await call(method, `${path}${suffix}`, ifMatch, body)).toMatchObject({
        status: 412,
        body: { code: 'precondition_failed' },
      });
      const after = await call('get', path);
      expect([after.headers.etag, after.body]).toEqual([before.headers.etag, before.body]);
    },
  );

  test.each(['"1"', 'W/"7", "1-gzip"', '*', undefined])('with the ETag %j succeeds', async (ifMatch) => {
    const path = await pathOf();
    const { status } = await call(method, `${path}${suffix}`, ifMatch, body);
    expect(status).toBe(method === 'delete' ? 204 : 200);
  });
});

describe.each(Object.entries(restores))('%s', (_operationId, { path: pathOf, suffix = '' }) => {
  test('with an ETag that does not match the archived record changes nothing, and succeeds with its own', async () => {
    const path = await pathOf();
    expect((await call('delete', path)).status).toBe(204);
    const before = await call('get', path);
    expect(before.headers.etag).toBe('"2"');
    for (const ifMatch of ['"1"', '']) {
      const { body } = await call('post', `${path}${suffix}`, ifMatch);
      expect(body).toMatchObject({ status: 412, code: 'precondition_failed' });
    }
    expect((await call('get', path)).body).toEqual(before.body);
    expect((await call('post', `${path}${suffix}`, '"2"')).headers.etag).toBe('"3"');
  });
});

test('archiving again succeeds, although its ETag is stale: nothing is left to change', async () => {
  const path = await content();
  expect((await call('delete', path, '"1"')).status).toBe(204);
  expect((await call('delete', path, '"1"')).status).toBe(204);
});

test('of concurrent calls with the same ETag, one changes the record', async () => {
  const path = `${await content()}/publish`;
  const answers = await Promise.all([1, 2, 3, 4].map(() => call('post', path, '"1"')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  const settings = `environments/${tenant.development}/drm-systems/widevine`;
  const configured = await Promise.all([1, 2, 3, 4].map(() => call('put', settings, '"1"', { enabled: false })));
  expect(configured.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
});
