import { randomUUID } from 'node:crypto';
import { renderRecord } from '../../publishing/renderers';
import { auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const clientUrl = (apiClientId: string) => `/api/v1/management/api-clients/${apiClientId}`;
async function create(changes: object = {}): Promise<string> {
  const created = await controlPlane.api
    .post(`/api/v1/management/projects/${tenant.projectId}/api-clients`)
    .set(bearer(tenant.key))
    .send({ name: 'Backend', permissions: ['license-tokens:create'], ...changes })
    .expect(200);
  return created.body.apiClientId;
}
const read = (apiClientId: string) => controlPlane.api.get(clientUrl(apiClientId)).set(bearer(tenant.key));
const update = (apiClientId: string, body: object, ifMatch = '*') =>
  controlPlane.api.patch(clientUrl(apiClientId)).set(bearer(tenant.key)).set('If-Match', ifMatch).send(body);
const rotate = (apiClientId: string, ifMatch: string) =>
  controlPlane.api
    .post(`${clientUrl(apiClientId)}/rotate`)
    .set(bearer(tenant.key))
    .set('If-Match', ifMatch);
const revoke = (apiClientId: string, ifMatch: string) =>
  controlPlane.api.delete(clientUrl(apiClientId)).set(bearer(tenant.key)).set('If-Match', ifMatch);
/** The client's published documents. */
async function published(apiClientId: string) {
  const [rendered] = await controlPlane.prisma.$transaction((transaction) =>
    renderRecord(transaction, 'apiClient', apiClientId),
  );
  return rendered?.document;
}

test('a client is read without its access key, with its ETag', async () => {
  const { body, headers } = await read(await create()).expect(200);
  expect(headers.etag).toBe('"1"');
  expect(body).toMatchObject({ name: 'Backend', permissions: ['license-tokens:create'], environmentIds: null });
  expect(body).not.toHaveProperty('accessKey');
});

test('name, permissions and environments are changed, and absent fields stay', async () => {
  const id = await create();
  const permissions = ['sessions:read', 'sessions:release'];
  const changed = await update(id, { permissions, environmentIds: [tenant.production.toUpperCase()] }, '"1"').expect(
    200,
  );
  expect(changed.headers.etag).toBe('"2"');
  expect(changed.body).toMatchObject({ name: 'Backend', permissions, environmentIds: [tenant.production] });
  const renamed = await update(id, { name: 'Checkout' }, '"2"').expect(200);
  expect(renamed.body).toEqual({ ...changed.body, name: 'Checkout' });
  expect((await read(id).expect(200)).body).toEqual(renamed.body);
});

test('null allows every environment of the project again', async () => {
  const id = await create({ environmentIds: [tenant.production] });
  expect((await update(id, { environmentIds: null }).expect(200)).body.environmentIds).toBeNull();
});

test('the change is published at once, and the access key stays', async () => {
  const id = await create();
  const before = await published(id);
  await controlPlane.prisma.outboxEntry.deleteMany({ where: { documentId: id } });
  const wakes = controlPlane.wakes();
  await update(id, { permissions: ['sessions:read'], environmentIds: [tenant.development] }).expect(200);
  expect(await controlPlane.prisma.outboxEntry.count({ where: { documentId: id } })).toBe(1);
  expect(controlPlane.wakes()).toBe(wakes + 1);
  expect(await published(id)).toEqual({
    ...before,
    permissions: ['sessions:read'],
    environmentIds: [tenant.development],
  });
});

test('an environment of another project is rejected by name; one that was archived since may stay', async () => {
  const other = await createTenant(controlPlane);
  const { body: staging } = await controlPlane.api
    .post(`/api/v1/management/projects/${tenant.projectId}/environments`)
    .set(bearer(tenant.key))
    .send({ kind: 'staging' })
    .expect(200);
  const id = await create({ environmentIds: [staging.environmentId] });
  await controlPlane.prisma.environment.update({ where: { id: staging.environmentId }, data: { status: 'archived' } });
  const { body } = await update(id, { environmentIds: [staging.environmentId, other.production, randomUUID()] });
  expect(body.errors).toEqual({
    'environmentIds[1]': ['must be an environment of the project'],
    'environmentIds[2]': ['must be an environment of the project'],
  });
  await update(id, { environmentIds: [staging.environmentId, tenant.production] }).expect(200);
  await update(await create(), { environmentIds: [staging.environmentId] }).expect(400);
});

test.each([
  [{ permissions: [] }, 'permissions'],
  [{ permissions: ['everything'] }, 'permissions[0]'],
  [{ environmentIds: [] }, 'environmentIds'],
  [{ name: ' ' }, 'name'],
  [{ expiresAt: '2027-01-01T00:00:00Z' }, 'expiresAt'],
  [{ clientId: 'ci_another' }, 'clientId'],
  [{}, 'body'],
])('the change %j is rejected, naming %s', async (changes, field) => {
  const { body } = await update(await create(), changes).expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('a change requires the ETag of the current version', async () => {
  const id = await create();
  const unconditional = controlPlane.api.patch(clientUrl(id)).set(bearer(tenant.key)).send({ name: 'x' });
  expect((await unconditional.expect(428)).body.code).toBe('precondition_required');
  await update(id, { name: 'First' }, '"1"').expect(200);
  expect((await update(id, { name: 'Second' }, '"1"').expect(412)).body.code).toBe('precondition_failed');
});

test('of concurrent changes from one version, one succeeds', async () => {
  const id = await create();
  const answers = await Promise.all(['A', 'B', 'C', 'D'].map((name) => update(id, { name }, '"1"')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
});

test('rotating and revoking raise the version, and respect If-Match', async () => {
  const id = await create();
  await rotate(id, '"7"').expect(412);
  expect((await rotate(id, '"1"').expect(200)).headers.etag).toBe('"2"');
  await revoke(id, '"1"').expect(412);
  await revoke(id, '"2"').expect(204);
  expect((await read(id).expect(200)).headers.etag).toBe('"3"');
  await revoke(id, '"1"').expect(204);
});

test.each(['revoked', 'expired'])('a client that is %s can be read but not changed', async (status) => {
  const expiresAt = new Date(controlPlane.clock.now.getTime() + 1_000);
  const id = await create({ expiresAt: expiresAt.toISOString() });
  if (status === 'revoked') await revoke(id, '*').expect(204);
  else controlPlane.clock.now = expiresAt;
  expect((await read(id).expect(200)).body.status).toBe(status);
  expect((await update(id, { name: 'x' }).expect(409)).body.detail).toBe(`The API client is ${status}.`);
});

test('a client of an archived project cannot be changed', async () => {
  const id = await create();
  await controlPlane.prisma.project.update({ where: { id: tenant.projectId }, data: { status: 'archived' } });
  await update(id, { name: 'x' }).expect(409);
  await controlPlane.prisma.project.update({ where: { id: tenant.projectId }, data: { status: 'active' } });
});

test('the change is audited with the names of the fields', async () => {
  const id = await create();
  await update(id, { name: 'Checkout', environmentIds: null }).expect(200);
  expect((await auditTrailOf(controlPlane, id)).at(-1)).toMatchObject({
    action: 'apiClient.update',
    details: { fields: ['name', 'environmentIds'] },
  });
});

test("an editor may not read or change a client, and another organization's key gets not_found", async () => {
  const id = await create();
  const editor = await createManagementKey(controlPlane, tenant.organizationId, { role: 'editor' });
  const { key: foreign } = await createTenant(controlPlane);
  for (const [key, status] of [
    [editor, 403],
    [foreign, 404],
  ] as const) {
    await controlPlane.api.get(clientUrl(id)).set(bearer(key)).expect(status);
    const change = controlPlane.api.patch(clientUrl(id)).set(bearer(key)).set('If-Match', '*');
    await change.send({ name: 'x' }).expect(status);
  }
});
