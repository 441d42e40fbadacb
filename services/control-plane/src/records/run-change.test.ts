import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'supertest';
import { hashOf } from '../access/credentials';
import { lockOrganization } from '../stores/organization-lock';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../testing/records';
import type { Actor } from './change';
import { runChange } from './run-change';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const organizationUrl = () => `${management}/organizations/${tenant.organizationId}`;
const keyUrl = async () => {
  const key = await createManagementKey(controlPlane, tenant.organizationId, { role: 'editor' });
  const { id } = await controlPlane.prisma.managementKey.findUniqueOrThrow({ where: { hash: hashOf(key) } });
  return `${management}/management-keys/${id}`;
};

describe("a change that ends callers' rights", () => {
  test.each<[string, () => Promise<Response>]>([
    [
      'a suspension',
      async () =>
        controlPlane.api
          .patch(organizationUrl())
          .set({ ...bearer(operatorKey), 'If-Match': '*' })
          .send({ status: 'suspended' }),
    ],
    ['an archiving', async () => controlPlane.api.delete(organizationUrl()).set(bearer(operatorKey))],
    ['a revocation', async () => controlPlane.api.delete(await keyUrl()).set(bearer(tenant.key))],
    ["an operator's revocation", async () => controlPlane.api.delete(await keyUrl()).set(bearer(operatorKey))],
    ['a rotation', async () => controlPlane.api.post(`${await keyUrl()}/rotate`).set(bearer(tenant.key))],
  ])('%s is not acknowledged before the changes in progress', async (_kind, send) => {
    const order: string[] = [];
    let ended: Promise<unknown> = Promise.resolve();
    await controlPlane.prisma.$transaction(async (transaction) => {
      await lockOrganization(transaction, tenant.organizationId, 'shared');
      ended = send().then(({ status }) => order.push(`ended ${status >= 200 && status < 300}`));
      await delay(300);
      order.push('changed');
    });
    await ended;
    expect(order).toEqual(['changed', 'ended true']);
  });

  test('completes in an organization that always has a change in progress', async () => {
    let suspended = false;
    const changes = async (): Promise<void> => {
      while (!suspended) {
        await controlPlane.prisma.$transaction(async (transaction) => {
          await lockOrganization(transaction, tenant.organizationId, 'shared');
          await delay(50);
        });
      }
    };
    const busy = [changes(), delay(15).then(changes), delay(30).then(changes)];
    await delay(100);
    const answer = await controlPlane.api
      .patch(organizationUrl())
      .set({ ...bearer(operatorKey), 'If-Match': '*' })
      .send({ status: 'suspended' });
    suspended = true;
    await Promise.all(busy);
    expect(answer.status).toBe(200);
  });
});

/** These transactions last as long as the requests within them. */
const patient = { timeout: 30_000 };

test('changes of an organization do not wait for each other or for those of another organization', async () => {
  const other = await createTenant(controlPlane);
  await controlPlane.prisma.$transaction(async (transaction) => {
    await lockOrganization(transaction, tenant.organizationId, 'shared');
    await lockOrganization(transaction, other.organizationId, 'shared');
    const url = `${management}/projects/${tenant.projectId}/rights`;
    await controlPlane.api.post(url).set(bearer(tenant.key)).send({ name: 'Rental' }).expect(200);
  }, patient);
  await controlPlane.prisma.$transaction(async (transaction) => {
    await lockOrganization(transaction, other.organizationId, 'exclusive');
    await controlPlane.api
      .delete(await keyUrl())
      .set(bearer(tenant.key))
      .expect(204);
  }, patient);
});

test('of owner keys that revoke each other concurrently, one remains, and no request waits forever', async () => {
  const keys = await Promise.all(
    Array.from({ length: 6 }, () => createManagementKey(controlPlane, tenant.organizationId, { role: 'owner' })),
  );
  const ids = await Promise.all(
    keys.map(
      async (key) => (await controlPlane.prisma.managementKey.findUniqueOrThrow({ where: { hash: hashOf(key) } })).id,
    ),
  );
  const answers = await Promise.all(
    keys.flatMap((key) =>
      ids.map((id) => controlPlane.api.delete(`${management}/management-keys/${id}`).set(bearer(key))),
    ),
  );
  for (const { status } of answers) expect([204, 401, 409]).toContain(status);
  const lasting = { organizationId: tenant.organizationId, role: 'owner', revokedAt: null } as const;
  expect(await controlPlane.prisma.managementKey.count({ where: lasting })).toBeGreaterThan(0);
});

test('changes that deadlock all succeed', async () => {
  const { prisma } = controlPlane;
  const actor: Actor = {
    kind: 'operator',
    id: null,
    name: null,
    requestId: 'circle-0001',
    address: null,
    tenantScope: null,
  };
  const ids = [tenant.organizationId, (await createTenant(controlPlane)).organizationId];
  const attempts: string[] = [];
  const lockBoth = (name: string, order: string[], other: () => Promise<void>) =>
    runChange(prisma, actor, 'shared', async (transaction) => {
      attempts.push(name);
      for (const [index, id] of order.entries()) {
        await transaction.$queryRaw`SELECT id FROM organization WHERE id = ${id}::uuid FOR UPDATE`;
        if (index === 0 && attempts.length <= 2) await other();
      }
    });
  // Both hold their first lock before either requests its second.
  let arrived = 0;
  let meet: () => void = () => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const together = async () => {
    arrived += 1;
    if (arrived === 2) meet();
    await met;
  };
  await Promise.all([lockBoth('there', ids, together), lockBoth('back', [...ids].reverse(), together)]);
  expect(attempts).toHaveLength(3);
});
