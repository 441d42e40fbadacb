import { auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const keyUrl = (keyId: string) => `/api/v1/management/management-keys/${keyId}`;
const create = async (expiresAt?: string) =>
  (
    await controlPlane.api
      .post(`/api/v1/management/organizations/${tenant.organizationId}/management-keys`)
      .set(bearer(tenant.key))
      .send({ name: 'Reports', role: 'viewer', expiresAt })
      .expect(200)
  ).body;
const rename = (keyId: string, body: object, key = tenant.key) =>
  controlPlane.api.patch(keyUrl(keyId)).set(bearer(key)).send(body);

test('a key gets another name, stays valid, and the trail has both names', async () => {
  const { key, ...created } = await create();
  const { body } = await rename(created.keyId, { name: 'Monthly reports' }).expect(200);
  expect(body).toEqual({ ...created, name: 'Monthly reports' });
  const projects = `/api/v1/management/organizations/${tenant.organizationId}/projects`;
  await controlPlane.api.get(projects).set(bearer(key)).expect(200);
  expect((await auditTrailOf(controlPlane, created.keyId)).slice(1)).toMatchObject([
    {
      action: 'managementKey.update',
      details: { fields: ['name'] },
      before: { name: 'Reports' },
      after: { name: 'Monthly reports' },
    },
  ]);
});

test.each<[string, object]>([
  ['name', { name: ' ' }],
  ['name', {}],
  ['role', { name: 'Reports', role: 'owner' }],
  ['expiresAt', { name: 'Reports', expiresAt: '2030-01-01T00:00:00Z' }],
])('an invalid %s is rejected by name: only the name can change', async (field, sent) => {
  const { keyId } = await create();
  const { body } = await rename(keyId, sent).expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('a key that is no longer valid keeps its name, and only owners rename keys', async () => {
  const revoked = await create();
  await controlPlane.api.delete(keyUrl(revoked.keyId)).set(bearer(tenant.key)).expect(204);
  expect((await rename(revoked.keyId, { name: 'x' }).expect(409)).body.detail).toBe('The management key is revoked.');
  const admin = await createManagementKey(controlPlane, tenant.organizationId, { role: 'admin' });
  await rename((await create()).keyId, { name: 'x' }, admin).expect(403);
});
