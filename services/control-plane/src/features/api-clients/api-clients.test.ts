import { randomUUID } from 'node:crypto';
import { hashOf } from '../../access/credentials';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const create = (changes: object = {}) =>
  controlPlane.api
    .post(`/api/v1/management/projects/${tenant.projectId}/api-clients`)
    .set(bearer(tenant.key))
    .send({ name: 'Backend', permissions: ['license-tokens:create', 'sessions:release'], ...changes });

test('null means all environments and no expiry, like absence', async () => {
  const { body } = await create({ environmentIds: null, expiresAt: null }).expect(200);
  expect(body).toMatchObject({ environmentIds: null, expiresAt: null });
});

test('a client is created with an access key that is shown only this once', async () => {
  const { body } = await create().expect(200);
  expect(body).toEqual({
    apiClientId: expect.any(String),
    projectId: tenant.projectId,
    clientId: expect.stringMatching(/^ci_[\w-]{22}$/),
    accessKey: expect.stringMatching(/^ak_[\w-]{43}$/),
    name: 'Backend',
    permissions: ['license-tokens:create', 'sessions:release'],
    environmentIds: null,
    status: 'active',
    expiresAt: null,
    createdAt: '2026-03-01T10:00:00.000Z',
    lastUsedAt: null,
    accessKeys: [{ prefix: body.accessKey.slice(0, 10), validUntil: null, lastUsedAt: null }],
  });
  const stored = await controlPlane.prisma.apiClient.findUniqueOrThrow({ where: { id: body.apiClientId } });
  expect(stored.accessKeyHash).toBe(hashOf(body.accessKey));
  expect(JSON.stringify(stored)).not.toContain(body.accessKey);
});

test('every client has its own id and key', async () => {
  const [first, second] = [(await create().expect(200)).body, (await create().expect(200)).body];
  expect(first.clientId).not.toBe(second.clientId);
  expect(first.accessKey).not.toBe(second.accessKey);
});

test('a new client adds an outbox entry and wakes the publisher', async () => {
  const wakes = controlPlane.wakes();
  const { body } = await create().expect(200);
  expect(await controlPlane.prisma.outboxEntry.findMany({ where: { documentId: body.apiClientId } })).toMatchObject([
    { documentKind: 'apiClient' },
  ]);
  expect(controlPlane.wakes()).toBe(wakes + 1);
});

test('a client can be limited to environments of its project', async () => {
  const { body } = await create({
    environmentIds: [tenant.production, tenant.development.toUpperCase(), tenant.development],
  }).expect(200);
  expect(body.environmentIds).toEqual([tenant.production, tenant.development]);
});

test('an unknown environment and one of another project are rejected with the same message', async () => {
  const other = await createTenant(controlPlane);
  const { body } = await create({
    environmentIds: [other.development, tenant.development, randomUUID()],
  }).expect(400);
  expect(body.errors).toEqual({
    'environmentIds[0]': ['must be an environment of the project'],
    'environmentIds[2]': ['must be an environment of the project'],
  });
});

test('an archived environment is rejected by name', async () => {
  const other = await createTenant(controlPlane);
  await controlPlane.prisma.environment.update({ where: { id: other.production }, data: { status: 'archived' } });
  const { body } = await controlPlane.api
    .post(`/api/v1/management/projects/${other.projectId}/api-clients`)
    .set(bearer(other.key))
    .send({ name: 'Backend', permissions: ['sessions:read'], environmentIds: [other.production] })
    .expect(400);
  expect(Object.keys(body.errors)).toEqual(['environmentIds[0]']);
});

test('an expiry in the future is stored in UTC', async () => {
  const { body } = await create({ expiresAt: '2026-03-01T12:00:00.5+01:30' }).expect(200);
  expect(body.expiresAt).toBe('2026-03-01T10:30:00.500Z');
});

test.each([
  '2026-03-01T10:00:00Z',
  '2020-01-01T00:00:00Z',
  '2026-12-31T23:59:60Z',
  '9999-12-31T23:59:59-01:00',
  '2027-02-30T00:00:00Z',
  '2027-01-01',
  'tomorrow',
])('the expiry %s is rejected by name', async (expiresAt) => {
  const { body } = await create({ expiresAt }).expect(400);
  expect(Object.keys(body.errors)).toEqual(['expiresAt']);
});

test('all validation errors are reported together', async () => {
  const { body } = await create({ expiresAt: '2020-01-01T00:00:00Z', environmentIds: [randomUUID()] }).expect(400);
  expect(Object.keys(body.errors).sort()).toEqual(['environmentIds[0]', 'expiresAt']);
});

test.each([
  [{ permissions: [] }, 'permissions'],
  [{ permissions: ['license-tokens:create', 'license-tokens:create'] }, 'permissions'],
  [{ permissions: ['everything'] }, 'permissions[0]'],
  [{ environmentIds: [] }, 'environmentIds'],
  [{ environmentIds: ['urn:uuid:5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77'] }, 'environmentIds[0]'],
  [{ name: undefined }, 'name'],
])('the request with %j is rejected, naming %s', async (changes, field) => {
  const { body } = await create(changes).expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});
