import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { type OperationFacts, operationFacts, pathOn } from '../testing/operation-facts';
import { recordKinds } from '../testing/record-kinds';
import { bearer, createTenant, type TestTenant } from '../testing/records';
import { waitsForLocks } from '../testing/waits-for-locks';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const somebodyWaits = async () => expect(await waitsForLocks(controlPlane.prisma)).toBe(1);

/** Sends a change while the record is being archived, and commits the archiving once the change waits for it. */
async function changeMeanwhile(
  operation: OperationFacts,
  table: string,
  id: string,
  ifMatch: string,
): Promise<Response> {
  const send = async () =>
    controlPlane.api
      .patch(pathOn(operation, { [operation.record ?? '']: id }))
      .set({ ...bearer(tenant.key), 'If-Match': ifMatch })
      .send(operation.exampleBody);
  let change: Promise<Response> | undefined;
  await controlPlane.prisma.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(
      `UPDATE ${table} SET status = 'archived', version = version + 1 WHERE id = $1::uuid`,
      id,
    );
    change = send();
    await eventually(somebodyWaits);
  });
  if (change === undefined) throw new Error('nothing was sent');
  return change;
}

/** Paths of records that a customer archives or erases. */
const archivable = operationFacts.flatMap(({ method, operationId, role, path }) =>
  method === 'delete' && /^(archive|erase)/.test(operationId) && role !== 'operator' ? [path] : [],
);
const updates = operationFacts.flatMap((operation) => {
  const { method, path, record } = operation;
  if (method !== 'patch' || record === undefined || !archivable.includes(path)) return [];
  return [[recordKinds[record].noun, recordKinds[record].idIn, operation] as const];
});

describe.each(['*', '"1"'])('If-Match: %s', (ifMatch) => {
  test.each(updates)('%s: a change after the archiving is a conflict', async (noun, idIn, operation) => {
    const id = await idIn(controlPlane, tenant);
    const { body } = await changeMeanwhile(operation, noun.replace(' ', '_'), id, ifMatch);
    const detail = `The ${noun} is archived: it can be read but not changed.`;
    expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
  });
});
