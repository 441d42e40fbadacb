import type { Response } from 'supertest';
import type { Transaction } from '../database/database';
import { lockOrganization } from '../stores/organization-lock';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { type OperationFacts, operationFacts, pathOn } from '../testing/operation-facts';
import { recordsOf } from '../testing/record-kinds';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../testing/records';

/** Changes of an organization's records; only the operator archives and restores an organization itself. */
const operations = operationFacts.filter(({ changes, role }) => changes && role !== 'everybody' && role !== 'operator');

let controlPlane: TestControlPlane;
let tenant: TestTenant;
let records: Record<string, string>;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
  records = await recordsOf(controlPlane, tenant);
});

async function aChangeWaits(): Promise<void> {
  const [row] = await controlPlane.prisma.$queryRaw<{ waiting: bigint }[]>`
    SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  expect(row?.waiting).toBe(1n);
}

/** Sends a change while `end` is in progress, and commits that once the change waits for it. */
async function sendMeanwhile(
  operation: OperationFacts,
  key: string,
  end: (transaction: Transaction) => Promise<unknown>,
): Promise<Response> {
  const send = async () =>
    controlPlane.api[operation.method](pathOn(operation, records))
      .set({ ...bearer(key), 'If-Match': '*' })
      .send(operation.exampleBody);
  let change: Promise<Response> | undefined;
  await controlPlane.prisma.$transaction(async (transaction) => {
    await lockOrganization(transaction, tenant.organizationId, 'exclusive');
    await end(transaction);
    change = send();
    await eventually(aChangeWaits, 2_000);
  });
  if (change === undefined) throw new Error('nothing was sent');
  return change;
}

/** The key of an owner that was used before, because a first use is recorded ahead of its request. */
async function usedOwnerKey(): Promise<string> {
  const key = await createManagementKey(controlPlane, tenant.organizationId, { role: 'owner' });
  await controlPlane.api.get('/api/v1/management/organizations').set(bearer(key)).expect(200);
  return key;
}

const setStatus = (prisma: Transaction, status: 'active' | 'suspended' | 'archived') =>
  prisma.organization.update({ where: { id: tenant.organizationId }, data: { status } });

describe.each(operations)('$operationId', (operation) => {
  const { role, operationId } = operation;
  const whileSuspended = role === 'support' || operationId.startsWith('revoke');

  test('is rejected if its key was revoked meanwhile', async () => {
    const key = await usedOwnerKey();
    const { body } = await sendMeanwhile(operation, key, (transaction) =>
      transaction.managementKey.updateMany({
        where: { organizationId: tenant.organizationId, name: 'Key of a test' },
        data: { revokedAt: controlPlane.clock.now },
      }),
    );
    expect(body).toMatchObject({ status: 401, code: 'authentication_required' });
  });

  test('is rejected if its organization was archived meanwhile', async () => {
    const { body } = await sendMeanwhile(operation, tenant.key, (transaction) => setStatus(transaction, 'archived'));
    await setStatus(controlPlane.prisma, 'active');
    expect(body).toMatchObject({ status: 404, code: 'not_found' });
  });

  test(`is ${whileSuspended ? 'accepted' : 'rejected'} if its organization was suspended meanwhile`, async () => {
    const { status } = await sendMeanwhile(operation, tenant.key, (transaction) => setStatus(transaction, 'suspended'));
    await setStatus(controlPlane.prisma, 'active');
    expect(status).toBe(!whileSuspended ? 403 : operation.method === 'delete' ? 204 : 200);
  });

  if (operation.method === 'delete') return;

  test('is rejected for the operator, too, if the organization was archived meanwhile', async () => {
    const { body } = await sendMeanwhile(operation, operatorKey, (transaction) => setStatus(transaction, 'archived'));
    await setStatus(controlPlane.prisma, 'active');
    const detail = 'The organization is archived: it can be read but not changed.';
    expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
  });
});

describe('a change', () => {
  const operation = (id: string) => {
    const found = operations.find(({ operationId }) => operationId === id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  };

  test.each([
    ['ended with the rotation', 0, 401],
    ['is valid for an overlap', 60_000, 200],
  ])('with a key that was rotated meanwhile and %s', async (_case, overlap, status) => {
    const key = await usedOwnerKey();
    const { now } = controlPlane.clock;
    const answer = await sendMeanwhile(operation('createRights'), key, (transaction) =>
      transaction.managementKey.updateMany({
        where: { organizationId: tenant.organizationId, name: 'Key of a test', revokedAt: null },
        data: { replacedAt: now, expiresAt: new Date(now.getTime() + overlap) },
      }),
    );
    expect(answer.status).toBe(status);
  });

  test('of the operator is accepted if the organization was suspended meanwhile', async () => {
    const suspend = (transaction: Transaction) => setStatus(transaction, 'suspended');
    const { status } = await sendMeanwhile(operation('createRights'), operatorKey, suspend);
    await setStatus(controlPlane.prisma, 'active');
    expect(status).toBe(200);
  });
});
