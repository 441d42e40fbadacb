import { randomUUID } from 'node:crypto';
import { auditedActions, auditTrailOf } from '../../testing/audit-trail';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, newRegistration, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const list = '/api/v1/management/organizations';
const url = () => `${list}/${tenant.organizationId}`;
const read = (key = tenant.key) => controlPlane.api.get(url()).set(bearer(key));
const change = (body: object, { key = tenant.key, ifMatch = '*' } = {}) =>
  controlPlane.api.patch(url()).set(bearer(key)).set('If-Match', ifMatch).send(body);
const archive = (key = operatorKey) => controlPlane.api.delete(url()).set(bearer(key));

describe('the list', () => {
  test('shows callers only their own organization, except the operator', async () => {
    const { body } = await controlPlane.api.get(list).set(bearer(tenant.key)).expect(200);
    expect(body).toMatchObject({ total: 1, limit: 50, offset: 0 });
    expect(body.items).toEqual([
      {
        organizationId: tenant.organizationId,
        name: expect.stringMatching(/^Company /),
        country: 'DE',
        planId: 'developer',
        status: 'active',
        projectCount: 1,
        createdAt: expect.any(String),
      },
    ]);
  });

  test('shows all organizations to the operator, oldest first and paged', async () => {
    const { body } = await controlPlane.api.get(`${list}?limit=200`).set(bearer(operatorKey)).expect(200);
    const ids = body.items.map(({ organizationId }: { organizationId: string }) => organizationId);
    expect(ids).toContain(tenant.organizationId);
    expect(body.total).toBe(ids.length);
    expect(ids).toEqual([...ids].sort());
    const page = await controlPlane.api.get(`${list}?limit=1&offset=1`).set(bearer(operatorKey)).expect(200);
    expect(page.body).toMatchObject({ total: ids.length, limit: 1, offset: 1, items: [{ organizationId: ids[1] }] });
  });

  test('counts projects without archived ones', async () => {
    await controlPlane.api
      .delete(`/api/v1/management/projects/${tenant.projectId}`)
      .set(bearer(tenant.key))
      .expect(204);
    const { body } = await controlPlane.api.get(list).set(bearer(tenant.key)).expect(200);
    expect(body.items[0].projectCount).toBe(0);
  });
});

test('an organization is read with its ETag', async () => {
  const { body, headers } = await read().expect(200);
  expect(headers.etag).toBe('"1"');
  expect(body).toMatchObject({
    organizationId: tenant.organizationId,
    website: null,
    registrationNumber: null,
    administrator: { name: 'Ada Admin', email: expect.stringContaining('@example.com') },
    agreement: { version: '2026-01', acceptedAt: expect.any(String) },
  });
});

test('the owner can change the description of the company', async () => {
  const changes = {
    name: `Renamed ${randomUUID()}`,
    website: 'https://example.com/',
    registrationNumber: 'HRB 4711',
    administrator: { name: 'Grace', email: `${randomUUID()}@example.com` },
  };
  const { body, headers } = await change(changes, { ifMatch: '"1"' }).expect(200);
  expect(body).toMatchObject(changes);
  expect(headers.etag).toBe('"2"');
  expect((await read()).body).toEqual(body);
  expect((await auditTrailOf(controlPlane, tenant.organizationId)).at(-1)).toMatchObject({
    action: 'organization.update',
    details: { fields: Object.keys(changes) },
  });

  const taken = await change({ website: null, registrationNumber: null }).expect(200);
  expect(taken.body).toMatchObject({ website: null, registrationNumber: null, name: changes.name });
});

test('an admin may not change the organization', async () => {
  const admin = await createManagementKey(controlPlane, tenant.organizationId, { role: 'admin' });
  await change({ website: null }, { key: admin }).expect(403);
});

test.each([
  [{ planId: 'enterprise' }, 'Only the operator may change planId.'],
  [{ status: 'suspended' }, 'Only the operator may change status.'],
  [{ name: 'x', status: 'active', planId: 'business' }, 'Only the operator may change planId and status.'],
])('the change %j is forbidden to the owner', async (body, detail) => {
  const refused = await change(body).expect(403);
  expect(refused.body).toMatchObject({ code: 'permission_denied', detail });
  expect((await read()).headers.etag).toBe('"1"');
});

test('the operator changes the plan, and an unknown plan is a validation error', async () => {
  const { body } = await change({ planId: 'enterprise' }, { key: operatorKey }).expect(200);
  expect(body.planId).toBe('enterprise');
  const refused = await change({ planId: 'free' }, { key: operatorKey }).expect(400);
  expect(Object.keys(refused.body.errors)).toEqual(['planId']);
});

test('the operator suspends an organization and activates a pending one', async () => {
  expect((await change({ status: 'suspended' }, { key: operatorKey }).expect(200)).body.status).toBe('suspended');
  await controlPlane.prisma.organization.update({
    where: { id: tenant.organizationId },
    data: { status: 'pending' },
  });
  await controlPlane.prisma.outboxEntry.deleteMany();
  const wakes = controlPlane.wakes();
  expect((await change({ status: 'active' }, { key: operatorKey }).expect(200)).body.status).toBe('active');
  expect(await controlPlane.prisma.outboxEntry.findMany()).toMatchObject([
    { documentKind: 'organization', documentId: tenant.organizationId },
  ]);
  expect(controlPlane.wakes()).toBe(wakes + 1);
});

test('nobody can set an organization to pending or archived', async () => {
  for (const status of ['pending', 'archived']) {
    const { body } = await change({ status }, { key: operatorKey }).expect(400);
    expect(Object.keys(body.errors)).toEqual(['status']);
  }
});

describe('a change that collides with another company', () => {
  const other = newRegistration();
  beforeAll(async () => {
    await controlPlane.api.post('/api/v1/organizations/registrations').send(other).expect(201);
  });

  test.each([
    ['name', { name: ` ${other.companyName.toUpperCase()} ` }],
    ['administrator', { administrator: { name: 'Eve', email: other.administrator.email.toUpperCase() } }],
  ])('in its %s is a conflict and changes nothing', async (_case, body) => {
    const { body: problem } = await change(body).expect(409);
    expect(problem).toMatchObject({
      code: 'conflict',
      detail: 'A company with this name and country, or with this administrator, is already registered.',
    });
    expect((await read()).headers.etag).toBe('"1"');
  });
});

test('a change requires the current ETag', async () => {
  await controlPlane.api.patch(url()).set(bearer(tenant.key)).send({ website: null }).expect(428);
  await change({ website: null }, { ifMatch: '"2"' }).expect(412);
  const answers = await Promise.all(
    ['A', 'B'].map(async (letter) => change({ name: `${letter} ${randomUUID()}` }, { ifMatch: '"1"' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
});

test('only the operator archives an organization, which then does not exist for others', async () => {
  await archive(tenant.key).expect(403);
  await controlPlane.prisma.outboxEntry.deleteMany();
  await archive().expect(204);
  const entries = await controlPlane.prisma.outboxEntry.findMany();
  expect(entries.map(({ documentId }) => documentId).sort()).toEqual(
    [tenant.organizationId, tenant.development, tenant.production].sort(),
  );
  await archive().expect(204);
  await read().expect((response) => expect([401, 404]).toContain(response.status));
  const { body, headers } = await read(operatorKey).expect(200);
  expect(body.status).toBe('archived');
  expect(headers.etag).toBe('"2"');
  const all = await controlPlane.api.get(`${list}?limit=200`).set(bearer(operatorKey)).expect(200);
  expect(JSON.stringify(all.body.items)).not.toContain(tenant.organizationId);
  expect((await change({ website: null }, { key: operatorKey }).expect(409)).body.code).toBe('conflict');
  expect(await auditedActions(controlPlane, tenant.organizationId)).toContain('organization.archive');
  expect((await auditedActions(controlPlane, tenant.organizationId)).at(-1)).toBe('organization.archive');
});

describe('an archived organization', () => {
  const restore = (key = operatorKey) => controlPlane.api.post(`${url()}/restore`).set(bearer(key));
  const idsOf = async (query: string) => {
    const { body } = await controlPlane.api.get(`${list}?limit=200${query}`).set(bearer(operatorKey)).expect(200);
    return body.items.map(({ organizationId }: { organizationId: string }) => organizationId);
  };

  test('is listed only if the query asks for that status, and only for the operator', async () => {
    await archive().expect(204);
    expect(await idsOf('&status=archived')).toContain(tenant.organizationId);
    expect(await idsOf('&status=active')).not.toContain(tenant.organizationId);
    const other = await createTenant(controlPlane);
    for (const { key } of [other, tenant]) {
      const { body } = await controlPlane.api.get(`${list}?status=archived`).set(bearer(key)).expect(200);
      expect(body).toMatchObject({ items: [], total: 0 });
    }
  });

  test('is restored as suspended by the operator, with its keys, and plays once it is set to active', async () => {
    const before = (await read().expect(200)).body;
    await archive().expect(204);
    await restore(tenant.key).expect(403);
    const restored = await restore().expect(200);
    expect(restored.body).toEqual({ ...before, status: 'suspended' });
    expect((await read().expect(200)).body).toEqual(restored.body);
    expect((await restore().expect(200)).headers.etag).toBe(restored.headers.etag);
    expect((await auditedActions(controlPlane, tenant.organizationId)).at(-1)).toBe('organization.restore');
    await change({ status: 'active' }, { key: operatorKey }).expect(200);
    await change({ website: null }).expect(200);
  });
});
