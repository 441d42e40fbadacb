import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const create = (key: string, name = 'Cinema', organizationId = tenant.organizationId) =>
  controlPlane.api
    .post(`/api/v1/management/organizations/${organizationId}/projects`)
    .set(bearer(tenant.key))
    .set('Idempotency-Key', key)
    .send({ name });

test('50 equal concurrent creates with one key create one record', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => create('at-once')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.projectId)).size).toBe(1);
});

test('the key with another body is rejected', async () => {
  await create('another-body').expect(200);
  const { body } = await create('another-body', 'Theatre').expect(422);
  expect(body.code).toBe('idempotency_key_reused');
});

test('the path may be written differently', async () => {
  const { body: first } = await create('spelling').expect(200);
  const { body: again } = await create('spelling', 'Cinema', tenant.organizationId.toUpperCase()).expect(200);
  expect(again.projectId).toBe(first.projectId);
});

test('a key is forgotten after a day, like those of others', async () => {
  const { body: first } = await create('for-a-day').expect(200);
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 24 * 60 * 60 * 1000 + 1);
  const { body: next } = await create('for-a-day').expect(200);
  expect(next.projectId).not.toBe(first.projectId);
  expect(await controlPlane.prisma.idempotentCreate.count()).toBe(1);
});
