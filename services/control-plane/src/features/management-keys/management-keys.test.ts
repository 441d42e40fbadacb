import { randomUUID } from 'node:crypto';
import { hashOf } from '../../access/credentials';
import { auditTrailOf } from '../../testing/audit-trail';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const keys = () => `/api/v1/management/organizations/${tenant.organizationId}/management-keys`;
const keyUrl = (keyId: string) => `/api/v1/management/management-keys/${keyId}`;
const create = (body: object, headers: Record<string, string> = {}) =>
  controlPlane.api.post(keys()).set(bearer(tenant.key)).set(headers).send(body);
const list = (key = tenant.key) => controlPlane.api.get(keys()).set(bearer(key));
const rotate = (keyId: string, body?: object, key = tenant.key) =>
  controlPlane.api
    .post(`${keyUrl(keyId)}/rotate`)
    .set(bearer(key))
    .send(body);
const revoke = (keyId: string, key = tenant.key) => controlPlane.api.delete(keyUrl(keyId)).set(bearer(key));
const stored = (id: string) => controlPlane.prisma.managementKey.findUniqueOrThrow({ where: { id } });
const idOf = async (key: string) =>
  (await controlPlane.prisma.managementKey.findUniqueOrThrow({ where: { hash: hashOf(key) } })).id;
const after = (milliseconds: number) => new Date(controlPlane.clock.now.getTime() + milliseconds);

test('a key is created with a name, a role and an expiry, and is shown only this once', async () => {
  const expiresAt = after(1_000).toISOString();
  const { body } = await create({ name: 'Reports', role: 'viewer', expiresAt }).expect(200);
  expect(body).toEqual({
    keyId: expect.any(String),
    organizationId: tenant.organizationId,
    name: 'Reports',
    role: 'viewer',
    prefix: body.key.slice(0, 10),
    key: expect.stringMatching(/^mk_[\w-]{43}$/),
    status: 'active',
    expiresAt,
    createdAt: controlPlane.clock.now.toISOString(),
    lastUsedAt: null,
  });
  expect(await stored(body.keyId)).toMatchObject({ hash: hashOf(body.key) });
  await controlPlane.api
    .get(`/api/v1/management/organizations/${tenant.organizationId}/projects`)
    .set(bearer(body.key))
    .expect(200);
});

test.each(['viewer', 'support', 'editor', 'admin', 'owner'])(
  'an owner creates a key with the role %s',
  async (role) => {
    expect((await create({ name: 'x', role }).expect(200)).body).toMatchObject({ role, expiresAt: null });
  },
);

test('only owners and the operator create, rotate and revoke keys, and admins can list them', async () => {
  const { body: admin } = await create({ name: 'Admin', role: 'admin' }).expect(200);
  const { body: editor } = await create({ name: 'Editor', role: 'editor' }).expect(200);
  await list(admin.key).expect(200);
  await list(editor.key).expect(403);
  await controlPlane.api.post(keys()).set(bearer(admin.key)).send({ name: 'x', role: 'viewer' }).expect(403);
  await rotate(editor.keyId, {}, admin.key).expect(403);
  await revoke(editor.keyId, admin.key).expect(403);
  await rotate(editor.keyId, {}, operatorKey).expect(200);
});

test('keys are listed oldest first, without the secret, each with its status', async () => {
  const expiresAt = after(10_000).toISOString();
  controlPlane.clock.now = after(1);
  const { body: expired } = await create({ name: 'Expired', role: 'owner', expiresAt });
  controlPlane.clock.now = after(1);
  const { body: revoked } = await create({ name: 'Revoked', role: 'owner' });
  await revoke(revoked.keyId).expect(204);
  controlPlane.clock.now = new Date(expiresAt);
  const shown = ({ key: _key, ...rest }: { key: string }, status: string) => ({ ...rest, status });
  const { body, text } = await list().expect(200);
  expect(body).toMatchObject([
    { name: 'Owner key of the registration', status: 'active', lastUsedAt: expect.any(String) },
    shown(expired, 'expired'),
    shown(revoked, 'revoked'),
  ]);
  for (const { key } of [expired, revoked]) expect(text).not.toContain(key);
});

test('the same Idempotency-Key creates one key and shows it once', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const request = { name: 'Reports', role: 'viewer' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(request, headers).expect(200)));
  expect(answers.flatMap(({ body }) => body.key ?? [])).toHaveLength(1);
  expect(new Set(answers.map(({ body }) => body.keyId)).size).toBe(1);
  expect((await create({ ...request, role: 'owner' }, headers).expect(422)).body.code).toBe('idempotency_key_reused');
  expect((await list()).body).toHaveLength(2);
});

test.each<[string, object]>([
  ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['expiresAt', { expiresAt: 'tomorrow' }],
  ['role', { role: 'operator' }],
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(201) }],
  ['key', { key: 'mk_x' }],
])('an invalid %s is rejected by name', async (field, changes) => {
  const { body } = await create({ name: 'x', role: 'viewer', ...changes }).expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('an expiry at the current moment is rejected', async () => {
  await create({ name: 'x', role: 'viewer', expiresAt: after(0).toISOString() }).expect(400);
});

test('changes of a key are audited without the key itself', async () => {
  const { body } = await create({ name: 'Reports', role: 'editor' }).expect(200);
  const { body: rotated } = await rotate(body.keyId, { overlapSeconds: 60 }).expect(200);
  await revoke(body.keyId).expect(204);
  await revoke(body.keyId).expect(204);
  const trail = await auditTrailOf(controlPlane, body.keyId);
  const rest = { recordType: 'managementKey', organizationId: tenant.organizationId, actorKind: 'management_key' };
  expect(trail).toMatchObject([
    { action: 'managementKey.create', details: { role: 'editor' }, ...rest },
    { action: 'managementKey.rotate', details: { replacedBy: rotated.keyId }, ...rest },
    { action: 'managementKey.revoke', ...rest },
  ]);
  expect(await auditTrailOf(controlPlane, rotated.keyId)).toMatchObject([
    { action: 'managementKey.create', details: { role: 'editor', replaces: body.keyId }, before: null, ...rest },
  ]);
  for (const secret of [body.key, rotated.key, hashOf(body.key)]) expect(JSON.stringify(trail)).not.toContain(secret);
});

describe('a rotation', () => {
  test('creates a key with the same name, role and expiry, and the old one ends after the overlap', async () => {
    const expiresAt = after(3_600_000).toISOString();
    const { body } = await create({ name: 'Reports', role: 'viewer', expiresAt }).expect(200);
    const { body: rotated } = await rotate(body.keyId, { overlapSeconds: 60 }).expect(200);
    expect(rotated).toMatchObject({ name: 'Reports', role: 'viewer', expiresAt, status: 'active' });
    expect(rotated.keyId).not.toBe(body.keyId);
    expect(rotated.key).not.toBe(body.key);
    expect((await stored(body.keyId)).expiresAt).toEqual(after(60_000));
  });

  test('without a body ends the old key at once, even the one that sent the request', async () => {
    const { body: rotated } = await rotate(await idOf(tenant.key)).expect(200);
    await list().expect(401);
    expect((await list(rotated.key).expect(200)).body).toMatchObject([
      { status: 'expired' },
      { keyId: rotated.keyId, role: 'owner', status: 'active' },
    ]);
  });

  test('never extends the life of the old key', async () => {
    const expiresAt = after(1_000).toISOString();
    const { body } = await create({ name: 'x', role: 'viewer', expiresAt }).expect(200);
    await rotate(body.keyId, { overlapSeconds: 60 }).expect(200);
    expect((await stored(body.keyId)).expiresAt).toEqual(new Date(expiresAt));
  });

  test('of a key that is no longer valid is a conflict', async () => {
    const { body } = await create({ name: 'x', role: 'viewer' }).expect(200);
    await rotate(body.keyId).expect(200);
    expect((await rotate(body.keyId).expect(409)).body).toMatchObject({
      code: 'conflict',
      detail: 'The management key is expired.',
    });
    await revoke(body.keyId).expect(204);
    expect((await rotate(body.keyId).expect(409)).body.detail).toBe('The management key is revoked.');
  });

  test('of a key that was already rotated is a conflict, even during the overlap', async () => {
    const { body } = await create({ name: 'x', role: 'viewer' }).expect(200);
    await rotate(body.keyId, { overlapSeconds: 60 }).expect(200);
    expect((await rotate(body.keyId, { overlapSeconds: 60 }).expect(409)).body).toMatchObject({
      code: 'conflict',
      detail: 'The management key was already rotated: rotate its replacement.',
    });
    expect((await list()).body).toHaveLength(3);
  });

  test('of the replacement keeps the expiry that the first key had', async () => {
    const expiresAt = after(3_600_000).toISOString();
    const { body: first } = await create({ name: 'x', role: 'viewer', expiresAt }).expect(200);
    const { body: second } = await rotate(first.keyId, { overlapSeconds: 60 }).expect(200);
    expect((await rotate(second.keyId, { overlapSeconds: 60 }).expect(200)).body).toMatchObject({ expiresAt });
  });

  test('replaces a key once, even with concurrent requests', async () => {
    const { body } = await create({ name: 'x', role: 'viewer' }).expect(200);
    const answers = await Promise.all([1, 2, 3].map(() => rotate(body.keyId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test('with an invalid overlap is rejected by name', async () => {
    const keyId = await idOf(tenant.key);
    const { body } = await rotate(keyId, { overlapSeconds: 1.5 }).expect(400);
    expect(Object.keys(body.errors)).toEqual(['overlapSeconds']);
  });
});

describe('the last valid owner key', () => {
  const refused = async (keyId: string, key = tenant.key) =>
    expect((await revoke(keyId, key).expect(409)).body).toMatchObject({
      code: 'conflict',
      detail: 'The last valid owner key of an organization cannot be revoked.',
    });

  test('cannot be revoked, whoever asks', async () => {
    await create({ name: 'Admin', role: 'admin' }).expect(200);
    await createTenant(controlPlane);
    const keyId = await idOf(tenant.key);
    await refused(keyId);
    await refused(keyId, operatorKey);
    await list().expect(200);
  });

  test('is the one that remains beside revoked and expired ones', async () => {
    const { body: revoked } = await create({ name: 'Revoked', role: 'owner' }).expect(200);
    await revoke(revoked.keyId).expect(204);
    const expiresAt = after(1_000);
    const { body: expired } = await create({
      name: 'Expired',
      role: 'owner',
      expiresAt: expiresAt.toISOString(),
    }).expect(200);
    controlPlane.clock.now = expiresAt;
    await refused(await idOf(tenant.key));
    await revoke(expired.keyId).expect(204);
  });

  test('can be revoked once there is another', async () => {
    const { body: other } = await create({ name: 'Other', role: 'owner' }).expect(200);
    await revoke(await idOf(tenant.key)).expect(204);
    await list().expect(401);
    await refused(other.keyId, other.key);
  });

  test('is not one that ends because it was rotated', async () => {
    const keyId = await idOf(tenant.key);
    const { body: rotated } = await rotate(keyId, { overlapSeconds: 60 }).expect(200);
    await refused(rotated.keyId);
    await revoke(keyId).expect(204);
    await refused(rotated.keyId, rotated.key);
  });

  test('of an archived organization can be revoked by the operator', async () => {
    await controlPlane.api
      .delete(`/api/v1/management/organizations/${tenant.organizationId}`)
      .set(bearer(operatorKey))
      .expect(204);
    const keyId = await idOf(tenant.key);
    await revoke(keyId, operatorKey).expect(204);
    expect((await stored(keyId)).revokedAt).toEqual(controlPlane.clock.now);
  });

  test('remains if all owner keys are revoked concurrently', async () => {
    const others = await Promise.all(
      Array.from({ length: 9 }, () => create({ name: 'Owner', role: 'owner' }).expect(200)),
    );
    const ids = [await idOf(tenant.key), ...others.map(({ body }) => body.keyId)];
    const answers = await Promise.all(ids.map((keyId) => revoke(keyId, operatorKey)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(204), 409]);
  });

  test('can be issued by the operator if it was lost', async () => {
    await controlPlane.prisma.managementKey.deleteMany({ where: { organizationId: tenant.organizationId } });
    const { body } = await controlPlane.api
      .post(keys())
      .set(bearer(operatorKey))
      .send({ name: 'Recovered', role: 'owner' })
      .expect(200);
    await list(body.key).expect(200);
    expect(await auditTrailOf(controlPlane, body.keyId)).toMatchObject([{ actorKind: 'operator' }]);
  });
});

describe('a suspended organization', () => {
  const suspend = () =>
    controlPlane.prisma.organization.update({
      where: { id: tenant.organizationId },
      data: { status: 'suspended' },
    });

  test('can revoke its keys, but neither create nor rotate them', async () => {
    const { body: leaked } = await create({ name: 'Leaked', role: 'owner' }).expect(200);
    await suspend();
    await revoke(leaked.keyId).expect(204);
    await list(leaked.key).expect(401);
    await create({ name: 'x', role: 'viewer' }).expect(403);
    await rotate(await idOf(tenant.key)).expect(403);
  });

  test('keeps its last owner key', async () => {
    await suspend();
    await revoke(await idOf(tenant.key)).expect(409);
  });
});
