import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const auditEvents = () => `/api/v1/management/organizations/${tenant.organizationId}/audit-events`;
const list = (query: object = {}, key = tenant.key) =>
  controlPlane.api.get(auditEvents()).query(query).set(bearer(key));
const createKey = (headers: Record<string, string>, name = 'Reports') =>
  controlPlane.api
    .post(`/api/v1/management/organizations/${tenant.organizationId}/management-keys`)
    .set(headers)
    .send({ name, role: 'viewer' })
    .expect(200);
const newest = async () => (await list({ limit: 1 }).expect(200)).body.items[0];

test('an event says who did what to which record, when, from where and in which request', async () => {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1);
  const { body } = await createKey({ ...bearer(tenant.key), 'X-Request-Id': 'request-of-the-test' });
  const owner = await controlPlane.prisma.managementKey.findFirstOrThrow({
    where: { organizationId: tenant.organizationId, role: 'owner' },
  });
  expect(await newest()).toEqual({
    auditEventId: expect.any(String),
    organizationId: tenant.organizationId,
    occurredAt: controlPlane.clock.now.toISOString(),
    actor: { kind: 'management-key', id: owner.id, name: owner.name },
    action: 'managementKey.create',
    recordType: 'managementKey',
    recordId: body.keyId,
    requestId: 'request-of-the-test',
    address: expect.stringMatching(/127\.0\.0\.1$/),
    details: { role: 'viewer' },
    before: null,
    after: {
      keyId: body.keyId,
      organizationId: tenant.organizationId,
      name: 'Reports',
      role: 'viewer',
      prefix: body.prefix,
      status: 'active',
      expiresAt: null,
    },
  });
});

test("the operator's events contain the name of the operator key", async () => {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1);
  await createKey(bearer(operatorKey));
  expect((await newest()).actor).toEqual({ kind: 'operator', id: 'operations', name: 'operations' });
});

test("events are listed newest first, page by page, without other organizations' events", async () => {
  for (const name of ['a', 'b', 'c']) {
    controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1);
    await createKey(bearer(tenant.key), name);
  }
  const other = await createTenant(controlPlane);
  const all = (await list({ limit: 200 }).expect(200)).body;
  expect(all).toMatchObject({ total: all.items.length, limit: 200, offset: 0 });
  const times = all.items.map(({ occurredAt }: { occurredAt: string }) => occurredAt);
  expect(times).toEqual([...times].sort().reverse());
  expect(times[0]).toBe(controlPlane.clock.now.toISOString());
  expect(all.items.map(({ recordId }: { recordId: string }) => recordId)).not.toContain(other.organizationId);
  const page = (await list({ limit: '2', offset: String(all.total - 2) }).expect(200)).body;
  expect(page.items).toEqual(all.items.slice(-2));
  expect(page.total).toBe(all.total);
});

test.each([
  ['admin', 200],
  ['editor', 403],
  ['viewer', 403],
] as const)('a key with the role %s gets %i', async (role, status) => {
  const key = await createManagementKey(controlPlane, tenant.organizationId, { role });
  await list({}, key).expect(status);
});

test('a rejected change leaves no event', async () => {
  const { total } = (await list().expect(200)).body;
  await controlPlane.api
    .post(`/api/v1/management/organizations/${tenant.organizationId}/management-keys`)
    .set(bearer(tenant.key))
    .send({ name: 'x', role: 'viewer', expiresAt: '2020-01-01T00:00:00Z' })
    .expect(400);
  expect((await list().expect(200)).body.total).toBe(total);
});

test('the database does not allow anybody to change or remove an event', async () => {
  const { prisma } = controlPlane;
  await createKey(bearer(tenant.key));
  const refusal = 'audit events are only ever added';
  await expect(prisma.auditEvent.updateMany({ data: { action: 'nothing' } })).rejects.toThrow(refusal);
  await expect(prisma.auditEvent.deleteMany({})).rejects.toThrow(refusal);
  await expect(prisma.$executeRaw`TRUNCATE audit_event`).rejects.toThrow(refusal);
});
