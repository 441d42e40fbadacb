import { auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { recordKinds } from '../../testing/record-kinds';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let support: string;
let userId: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
  support = await createManagementKey(controlPlane, tenant.organizationId, { role: 'support' });
  userId = await recordKinds.userId.idIn(controlPlane, tenant);
});

const url = () => `/api/v1/management/users/${userId}`;
const send = (verb: 'block' | 'unblock') => controlPlane.api.post(`${url()}/${verb}`).set(bearer(support));
const blocked = { details: { fields: ['status'] }, before: { status: 'active' }, after: { status: 'blocked' } };
const unblocked = { ...blocked, before: blocked.after, after: blocked.before };

const auditedChanges = async () => {
  const [, ...changes] = await auditTrailOf(controlPlane, userId);
  return changes.map(({ details, before, after }) => ({ details, before, after }));
};

test('support blocks and unblocks an end user; both are audited and published', async () => {
  expect((await send('block').expect(200)).body).toMatchObject({ userId, status: 'blocked' });
  expect(controlPlane.waitedFor.at(-1)).toEqual({ documentKind: 'endUser', documentId: userId });
  expect((await send('unblock').expect(200)).body).toMatchObject({ userId, status: 'active' });
  expect(await auditedChanges()).toEqual([blocked, unblocked]);
});

test('blocking a blocked end user changes nothing', async () => {
  const first = await send('block').expect(200);
  const second = await send('block').expect(200);
  expect([second.headers.etag, second.body]).toEqual([first.headers.etag, first.body]);
  expect(await auditedChanges()).toEqual([blocked]);
});

test('support may block and unblock while the organization is suspended', async () => {
  const where = { id: tenant.organizationId };
  await controlPlane.prisma.organization.update({ where, data: { status: 'suspended' } });
  await send('block').expect(200);
  await send('unblock').expect(200);
});

test('an erased end user cannot be blocked', async () => {
  await controlPlane.api.delete(url()).set(bearer(tenant.key)).expect(204);
  expect((await send('block').expect(409)).body.detail).toBe(
    'The end user is archived: it can be read but not changed.',
  );
});

test('support may neither change, synchronize nor erase an end user', async () => {
  const users = `/api/v1/management/projects/${tenant.projectId}/users`;
  const key = { ...bearer(support), 'If-Match': '*' };
  await controlPlane.api.patch(url()).set(key).send({ status: 'blocked' }).expect(403);
  await controlPlane.api.post(users).set(key).send({ subject: '4711', status: 'blocked' }).expect(403);
  await controlPlane.api.delete(url()).set(key).expect(403);
});
