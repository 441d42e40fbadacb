import { randomBytes, randomUUID } from 'node:crypto';
import { hashOf } from '../../access/credentials';
import { auditedActions, auditTrailOf } from '../../testing/audit-trail';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, newRegistration } from '../../testing/records';

let controlPlane: TestControlPlane;
const admitted: (string | null)[] = [];

beforeAll(async () => {
  controlPlane = await startControlPlane({
    registrationLimiter: {
      admit: async (address) => {
        admitted.push(address);
      },
    },
  });
});

const newKey = () => randomBytes(16).toString('hex');
const register = (body: object, idempotencyKey: string) =>
  controlPlane.api.post('/api/v1/organizations/registrations').set('Idempotency-Key', idempotencyKey).send(body);
const projects = (organizationId: string, key: string) =>
  controlPlane.api.get(`/api/v1/management/organizations/${organizationId}/projects`).set(bearer(key));
const later = (milliseconds: number) => {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + milliseconds);
};
/** A registration whose response got lost. */
async function lost() {
  const [registration, idempotencyKey] = [newRegistration(), newKey()];
  const { body } = await register(registration, idempotencyKey).expect(201);
  return { registration, idempotencyKey, first: body };
}
const operatorsWayOut = expect.stringContaining('the operator of this service can create another one');

test('repeating a registration revokes the unused key and shows another one', async () => {
  const { registration, idempotencyKey, first } = await lost();
  later(60 * 60 * 1000 - 1);
  const { body: again } = await register(registration, idempotencyKey).expect(201);
  expect(again).toEqual({ ...first, managementKey: { ...again.managementKey, role: 'owner' } });
  expect(again.managementKey.keyId).not.toBe(first.managementKey.keyId);
  await projects(first.organizationId, first.managementKey.key).expect(401);
  await projects(first.organizationId, again.managementKey.key).expect(200);
  expect(await controlPlane.prisma.organization.count({ where: { companyName: first.companyName } })).toBe(1);
  const [revoked, replacement] = [first.managementKey.keyId, again.managementKey.keyId];
  expect((await auditTrailOf(controlPlane, revoked)).slice(0, 1)).toMatchObject([
    { action: 'managementKey.revoke', details: { replacedBy: replacement } },
  ]);
  expect(await auditTrailOf(controlPlane, replacement)).toMatchObject([
    { action: 'managementKey.create', details: { replaces: revoked } },
  ]);
});

test('a registration may be repeated several times, as long as the latest key is unused', async () => {
  const { registration, idempotencyKey, first } = await lost();
  await register(registration, idempotencyKey).expect(201);
  const { body: last } = await register(registration, idempotencyKey).expect(201);
  const where = { organizationId: first.organizationId, revokedAt: null };
  expect(await controlPlane.prisma.managementKey.findMany({ where, select: { id: true } })).toEqual([
    { id: last.managementKey.keyId },
  ]);
});

test('the same members of the body in another order are the same body', async () => {
  const { registration, idempotencyKey } = await lost();
  await register(Object.fromEntries(Object.entries(registration).reverse()), idempotencyKey).expect(201);
});

test('once the owner key was used, nothing is shown again', async () => {
  const { registration, idempotencyKey, first } = await lost();
  await projects(first.organizationId, first.managementKey.key).expect(200);
  const { body } = await register(registration, idempotencyKey).expect(409);
  expect(body).toMatchObject({ code: 'conflict', detail: operatorsWayOut });
  await projects(first.organizationId, first.managementKey.key).expect(200);
});

test('after an hour, nothing is shown again', async () => {
  const { registration, idempotencyKey, first } = await lost();
  later(60 * 60 * 1000);
  const { body } = await register(registration, idempotencyKey).expect(409);
  expect(body).toMatchObject({ code: 'conflict', detail: operatorsWayOut });
  await projects(first.organizationId, first.managementKey.key).expect(200);
});

test.each([
  ['another body', (body: object) => ({ ...body, website: 'https://example.com/' })],
  ['the body of another company', () => newRegistration()],
])('the key with %s is a conflict with a clear message', async (_case, change) => {
  const { registration, idempotencyKey, first } = await lost();
  const { body } = await register(change(registration), idempotencyKey).expect(409);
  expect(body.detail).toContain('This Idempotency-Key was already used');
  expect(body.detail).toEqual(operatorsWayOut);
  await projects(first.organizationId, first.managementKey.key).expect(200);
});

test('the same body with another key, or without one, is a conflict as usual', async () => {
  const { registration } = await lost();
  const { body } = await register(registration, newKey()).expect(409);
  const without = await controlPlane.api.post('/api/v1/organizations/registrations').send(registration).expect(409);
  expect(body.detail).toBe(without.body.detail);
  expect(body.detail).toEqual(operatorsWayOut);
});

test('a registration without a key cannot be repeated with one', async () => {
  const registration = newRegistration();
  await controlPlane.api.post('/api/v1/organizations/registrations').send(registration).expect(201);
  await register(registration, newKey()).expect(409);
});

test.each(['suspended', 'archived'] as const)(
  'for an organization that is %s, nothing is shown again',
  async (status) => {
    const { registration, idempotencyKey, first } = await lost();
    await controlPlane.prisma.organization.update({ where: { id: first.organizationId }, data: { status } });
    await register(registration, idempotencyKey).expect(409);
  },
);

test('a key that was revoked by the operator or rotated is not replaced', async () => {
  for (const end of ['revoke', 'rotate']) {
    const { registration, idempotencyKey, first } = await lost();
    const { keyId } = first.managementKey;
    const keys = '/api/v1/management/management-keys';
    if (end === 'rotate') await controlPlane.api.post(`${keys}/${keyId}/rotate`).set(bearer(operatorKey)).expect(200);
    else await controlPlane.prisma.managementKey.update({ where: { id: keyId }, data: { revokedAt: new Date() } });
    await register(registration, idempotencyKey).expect(409);
  }
});

test('all equal concurrent registrations are answered, and one key is valid', async () => {
  const [registration, idempotencyKey] = [newRegistration(), newKey()];
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => register(registration, idempotencyKey)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  const { organizationId } = answers[0]?.body ?? {};
  const opening = [];
  for (const { body } of answers) {
    const { status } = await projects(organizationId, body.managementKey.key);
    if (status === 200) opening.push(body.managementKey.keyId);
  }
  expect(opening).toHaveLength(1);
  expect(await controlPlane.prisma.managementKey.count({ where: { organizationId, revokedAt: null } })).toBe(1);
});

test('of a concurrent repeat and first use, one comes too late', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { registration, idempotencyKey, first } = await lost();
    const [repeat, use] = await Promise.all([
      register(registration, idempotencyKey),
      projects(first.organizationId, first.managementKey.key),
    ]);
    expect([
      [201, 401],
      [409, 200],
    ]).toContainEqual([repeat.status, use.status]);
  }
});

test('repeats count for the limit of an address', async () => {
  const before = admitted.length;
  const { registration, idempotencyKey } = await lost();
  await register(registration, idempotencyKey).expect(201);
  expect(admitted.length).toBe(before + 2);
});

test("a repeat is audited, and does not change the organization's representation", async () => {
  const { registration, idempotencyKey, first } = await lost();
  const read = () =>
    controlPlane.api.get(`/api/v1/management/organizations/${first.organizationId}`).set(bearer(operatorKey));
  const before = await read().expect(200);
  later(1_000);
  const { body: again } = await register(registration, idempotencyKey).expect(201);
  const after = await read().expect(200);
  expect([after.body, after.headers.etag]).toEqual([before.body, before.headers.etag]);
  expect(await auditedActions(controlPlane, first.managementKey.keyId)).toEqual(['managementKey.revoke']);
  expect(await auditedActions(controlPlane, again.managementKey.keyId)).toEqual(['managementKey.create']);
});

test('the Idempotency-Key is stored only as a hash, and never logged', async () => {
  const { idempotencyKey, first } = await lost();
  const row = await controlPlane.prisma.organization.findUniqueOrThrow({ where: { id: first.organizationId } });
  expect(row.registrationKeyHash).toBe(hashOf(idempotencyKey));
  const everything = [
    await controlPlane.prisma.organization.findMany(),
    await controlPlane.prisma.idempotentCreate.findMany(),
    await controlPlane.prisma.auditEvent.findMany(),
    controlPlane.log,
  ];
  expect(JSON.stringify(everything)).not.toContain(idempotencyKey);
});

test.each([
  ['a UUID', randomUUID()],
  ['too few hexadecimal digits', randomBytes(15).toString('hex')],
  ['too few characters of base64url', 'A_cdefghijklmnopqrstu'],
  ['hexadecimal digits with hyphens', 'abc-'.repeat(10)],
  ['other characters', `${randomBytes(16).toString('base64url')}+/==`],
  ['more than 200 characters', 'g'.repeat(201)],
  ['thirty-two zeros', '0'.repeat(32)],
  ['five characters in turn', 'abcde'.repeat(7)],
])('a key that is %s is rejected by name', async (_case, idempotencyKey) => {
  const { body } = await register(newRegistration(), idempotencyKey).expect(400);
  expect(Object.keys(body.errors)).toEqual(['Idempotency-Key']);
});

test.each([
  ['32 hexadecimal digits', randomBytes(16).toString('hex')],
  ['64 hexadecimal digits in upper case', randomBytes(32).toString('hex').toUpperCase()],
  ['22 characters of base64url', `${randomBytes(16).toString('base64url').slice(0, -1)}z`],
  ['43 characters of base64url', randomBytes(32).toString('base64url')],
])('a key of %s is accepted', async (_form, idempotencyKey) => {
  await register(newRegistration(), idempotencyKey).expect(201);
});
