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

test.each<[string, 'project' | 'environment', () => string, () => object]>([
  ['rights', 'project', () => `projects/${tenant.projectId}/rights`, () => ({ name: 'Rental' })],
  [
    'license profile',
    'project',
    () => `projects/${tenant.projectId}/license-profiles`,
    () => newLicenseProfile('Premium'),
  ],
  ['end user', 'project', () => `projects/${tenant.projectId}/users`, () => ({ subject: 'student' })],
  [
    'API client',
    'project',
    () => `projects/${tenant.projectId}/api-clients`,
    () => ({ name: 'Backend', permissions: ['sessions:read'] }),
  ],
  ['content asset', 'environment', () => `environments/${tenant.development}/content`, () => newContent()],
])('%s: no create is acknowledged after its %s was archived', async (_kind, table, path, body) => {
  const { body: answer } = await sendMeanwhile(table, 'post', path(), body());
  expect(answer).toMatchObject({ status: 409, code: 'conflict' });
});

test.each<[string, 'project' | 'environment', 'post' | 'patch', string, string, object | undefined]>([
  ['change of rights', 'project', 'patch', 'rights', 'rightsId', { name: 'Purchase' }],
  ['change of a license profile', 'project', 'patch', 'license-profiles', 'licenseProfileId', { maximumHeight: 720 }],
  ['change of an end user', 'project', 'patch', 'users', 'userId', { displayName: 'Grace' }],
  ['change of an API client', 'project', 'patch', 'api-clients', 'apiClientId', { name: 'Checkout' }],
  ['rotation of an API client', 'project', 'post', 'api-clients', 'apiClientId/rotate', undefined],
  ['change of content', 'environment', 'patch', 'content', 'contentAssetId', { title: 'Lesson 43' }],
  ['publication', 'environment', 'post', 'content', 'contentAssetId/publish', undefined],
  ['withdrawal', 'environment', 'post', 'content', 'contentAssetId/unpublish', undefined],
])('no %s is acknowledged after its %s was archived', async (_kind, table, method, resource, path, body) => {
  const records = await recordsOf(controlPlane, tenant);
  const id = path.replace(/^\w+/, (parameter) => records[parameter] ?? parameter);
  if (path.endsWith('/unpublish')) {
    const publish = `/api/v1/management/content/${records.contentAssetId}/publish`;
    await controlPlane.api.post(publish).set(bearer(tenant.key)).expect(200);
  }
  const { body: answer } = await sendMeanwhile(table, method, `${resource}/${id}`, body);
  const detail = `The ${table} is archived: it can be read but not changed.`;
  expect(answer).toMatchObject({ status: 409, code: 'conflict', detail });
});
