import { randomUUID } from 'node:crypto';
import { hashOf } from '../../access/credentials';
import { auditedActions, auditTrailOf } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const clients = () => `/api/v1/management/projects/${tenant.projectId}/api-clients`;
const clientUrl = (apiClientId: string) => `/api/v1/management/api-clients/${apiClientId}`;
const create = (changes: object = {}, headers: Record<string, string> = {}) =>
  controlPlane.api
    .post(clients())
    .set(bearer(tenant.key))
    .set(headers)
    .send({ name: 'Backend', permissions: ['sessions:read'], ...changes });
const list = () => controlPlane.api.get(clients()).set(bearer(tenant.key));
const rotate = (apiClientId: string) =>
  controlPlane.api.post(`${clientUrl(apiClientId)}/rotate`).set(bearer(tenant.key));
const revoke = (apiClientId: string) => controlPlane.api.delete(clientUrl(apiClientId)).set(bearer(tenant.key));
const stored = (id: string) => controlPlane.prisma.apiClient.findUniqueOrThrow({ where: { id } });
const later = (milliseconds: number) => {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + milliseconds);
  return controlPlane.clock.now;
};

test('clients are listed oldest first, without their keys, each with its status', async () => {
  const expiresAt = new Date(controlPlane.clock.now.getTime() + 10_000).toISOString();
  const { body: expired } = await create({ name: 'Expired', expiresAt, environmentIds: [tenant.production] });
  later(1);
  const { body: revoked } = await create({ name: 'Revoked', expiresAt });
  later(1);
  const { body: active } = await create({ name: 'Active' });
  await revoke(revoked.apiClientId).expect(204);
  controlPlane.clock.now = new Date(expiresAt);
  const shown = ({ accessKey: _accessKey, ...client }: { accessKey: string }, status: string) => ({
    ...client,
    status,
  });
  expect((await list().expect(200)).body).toEqual([
    shown(expired, 'expired'),
    shown(revoked, 'revoked'),
    shown(active, 'active'),
  ]);
});

test('a client is active until the exact moment of its expiry', async () => {
  const expiresAt = new Date(controlPlane.clock.now.getTime() + 1_000);
  await create({ expiresAt: expiresAt.toISOString() }).expect(200);
  controlPlane.clock.now = new Date(expiresAt.getTime() - 1);
  expect((await list()).body).toMatchObject([{ status: 'active' }]);
});

test('the same Idempotency-Key creates one client and shows its access key once', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 10 }, () => create({}, headers).expect(200)));
  const keys = answers.flatMap(({ body }) => body.accessKey ?? []);
  expect(keys).toHaveLength(1);
  expect(new Set(answers.map(({ body }) => body.apiClientId)).size).toBe(1);
  expect((await list()).body).toHaveLength(1);
  expect((await create({ name: 'Another' }, headers).expect(422)).body.code).toBe('idempotency_key_reused');
});

test('a repeated request finds its client even if it has expired since', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const expiresAt = new Date(controlPlane.clock.now.getTime() + 1_000).toISOString();
  const { body } = await create({ expiresAt }, headers).expect(200);
  later(2_000);
  const repeated = await create({ expiresAt }, headers).expect(200);
  expect(repeated.body).toMatchObject({ apiClientId: body.apiClientId, status: 'expired' });
});

test('a rejected create leaves its Idempotency-Key unused', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  await create({ environmentIds: [randomUUID()] }, headers).expect(400);
  await create({}, headers).expect(200);
});

test('changes of a client are audited without its keys', async () => {
  const { body } = await create().expect(200);
  const rotated = await rotate(body.apiClientId).expect(200);
  await revoke(body.apiClientId).expect(204);
  const trail = await auditTrailOf(controlPlane, body.apiClientId);
  const rest = { recordType: 'apiClient', organizationId: tenant.organizationId, actorKind: 'management_key' };
  expect(trail).toMatchObject([
    { action: 'apiClient.create', ...rest },
    { action: 'apiClient.rotate', ...rest },
    { action: 'apiClient.revoke', ...rest },
  ]);
  for (const secret of [body.accessKey, rotated.body.accessKey, hashOf(body.accessKey)]) {
    expect(JSON.stringify(trail)).not.toContain(secret);
  }
});

describe('a rotation', () => {
  test('without a body ends the old key at once', async () => {
    const { body } = await create().expect(200);
    const { body: rotated } = await rotate(body.apiClientId).expect(200);
    const accessKeys = [{ prefix: rotated.accessKey.slice(0, 10), validUntil: null, lastUsedAt: null }];
    expect(rotated).toEqual({ ...body, accessKey: expect.stringMatching(/^ak_[\w-]{43}$/), accessKeys });
    expect(rotated.accessKey).not.toBe(body.accessKey);
    expect(await stored(body.apiClientId)).toMatchObject({
      accessKeyHash: hashOf(rotated.accessKey),
      previousAccessKeyHash: null,
      previousAccessKeyUntil: null,
    });
  });

  test('accepts an empty body, but no body of another type', async () => {
    const { body } = await create().expect(200);
    await rotate(body.apiClientId).type('application/json').send('').expect(200);
    await rotate(body.apiClientId).type('application/json').send('null').expect(200);
    await rotate(body.apiClientId).type('application/json').send('"now"').expect(400);
    await rotate(body.apiClientId).type('text/plain').send('{}').expect(415);
  });

  test('with an overlap keeps the old key valid that long', async () => {
    const { body } = await create().expect(200);
    const { body: second } = await rotate(body.apiClientId).send({ overlapSeconds: 60 }).expect(200);
    expect(await stored(body.apiClientId)).toMatchObject({
      accessKeyHash: hashOf(second.accessKey),
      previousAccessKeyHash: hashOf(body.accessKey),
      previousAccessKeyUntil: new Date(controlPlane.clock.now.getTime() + 60_000),
    });
    later(60_000);
    await rotate(body.apiClientId).send({ overlapSeconds: 1 }).expect(200);
    expect((await stored(body.apiClientId)).previousAccessKeyHash).toBe(hashOf(second.accessKey));
  });

  test('shows both keys and the end of the overlap until it is over, and the audit event names them', async () => {
    const { body } = await create().expect(200);
    const { body: second } = await rotate(body.apiClientId).send({ overlapSeconds: 60 }).expect(200);
    const validUntil = new Date(controlPlane.clock.now.getTime() + 60_000).toISOString();
    const [earlier] = body.accessKeys;
    const current = { prefix: second.accessKey.slice(0, 10), validUntil: null, lastUsedAt: null };
    const both = [current, { ...earlier, validUntil }];
    expect(second.accessKeys).toEqual(both);
    later(59_999);
    expect((await list()).body).toMatchObject([{ accessKeys: both }]);
    later(1);
    expect((await list()).body).toMatchObject([{ accessKeys: [current] }]);
    expect((await auditTrailOf(controlPlane, body.apiClientId)).at(-1)).toMatchObject({
      action: 'apiClient.rotate',
      before: { accessKeys: [earlier] },
      after: { accessKeys: both },
    });
  });

  test('within an overlap is a conflict that says when the overlap ends, and does not shorten it', async () => {
    const { body } = await create().expect(200);
    await rotate(body.apiClientId).send({ overlapSeconds: 60 }).expect(200);
    const before = await stored(body.apiClientId);
    const until = new Date(controlPlane.clock.now.getTime() + 60_000).toISOString();
    later(59_999);
    for (const request of [{ overlapSeconds: 3_600 }, {}, undefined]) {
      const refused = await rotate(body.apiClientId).send(request).expect(409);
      expect(refused.body).toMatchObject({ code: 'conflict', detail: expect.stringContaining(`valid until ${until}`) });
    }
    expect(await stored(body.apiClientId)).toEqual(before);
    later(1);
    await rotate(body.apiClientId).expect(200);
  });

  test('within an overlap ends all earlier keys if overlapSeconds is 0', async () => {
    const { body } = await create().expect(200);
    await rotate(body.apiClientId).send({ overlapSeconds: 60 }).expect(200);
    const { body: third } = await rotate(body.apiClientId).send({ overlapSeconds: 0 }).expect(200);
    expect(await stored(body.apiClientId)).toMatchObject({
      accessKeyHash: hashOf(third.accessKey),
      previousAccessKeyHash: null,
      previousAccessKeyUntil: null,
    });
  });

  test('adds an outbox entry and wakes the publisher', async () => {
    const { body } = await create().expect(200);
    const wakes = controlPlane.wakes();
    await rotate(body.apiClientId).expect(200);
    expect(controlPlane.wakes()).toBe(wakes + 1);
    expect(await controlPlane.prisma.outboxEntry.count({ where: { documentId: body.apiClientId } })).toBe(2);
  });

  test('of a revoked or expired client is a conflict', async () => {
    const { body: revoked } = await create().expect(200);
    await revoke(revoked.apiClientId).expect(204);
    const refused = await rotate(revoked.apiClientId).expect(409);
    expect(refused.body).toMatchObject({ code: 'conflict', detail: 'The API client is revoked.' });
    expect((await stored(revoked.apiClientId)).accessKeyHash).toBe(hashOf(revoked.accessKey));

    const expiresAt = new Date(controlPlane.clock.now.getTime() + 1_000).toISOString();
    const { body: expired } = await create({ expiresAt }).expect(200);
    controlPlane.clock.now = new Date(expiresAt);
    expect((await rotate(expired.apiClientId).expect(409)).body.detail).toBe('The API client is expired.');
  });

  test.each<[string, unknown]>([
    ['overlapSeconds', { overlapSeconds: -1 }],
    ['overlapSeconds', { overlapSeconds: 2_592_001 }],
    ['overlapSeconds', { overlapSeconds: '60' }],
    ['overlap', { overlap: 60 }],
  ])('with an invalid %s is rejected by name', async (field, request) => {
    const { body } = await create().expect(200);
    const response = await rotate(body.apiClientId)
      .send(request as object)
      .expect(400);
    expect(Object.keys(response.body.errors)).toEqual([field]);
  });
});

test('revoking is final, happens once and adds an outbox entry', async () => {
  const { body } = await create().expect(200);
  const wakes = controlPlane.wakes();
  await revoke(body.apiClientId).expect(204);
  expect(controlPlane.wakes()).toBe(wakes + 1);
  const { revokedAt } = await stored(body.apiClientId);
  later(1_000);
  await revoke(body.apiClientId).expect(204);
  expect((await stored(body.apiClientId)).revokedAt).toEqual(revokedAt);
  expect(await auditedActions(controlPlane, body.apiClientId)).toEqual(['apiClient.create', 'apiClient.revoke']);
  expect(await controlPlane.prisma.outboxEntry.count({ where: { documentId: body.apiClientId } })).toBe(2);
});

test('a suspended organization can revoke clients but neither create nor rotate them', async () => {
  const { body } = await create().expect(200);
  await controlPlane.prisma.organization.update({
    where: { id: tenant.organizationId },
    data: { status: 'suspended' },
  });
  await create().expect(403);
  await rotate(body.apiClientId).expect(403);
  await revoke(body.apiClientId).expect(204);
  expect((await stored(body.apiClientId)).revokedAt).toEqual(controlPlane.clock.now);
});
