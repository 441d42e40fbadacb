import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { type OperationFacts, operationFacts, pathOn } from '../testing/operation-facts';
import { recordKinds, recordsOf } from '../testing/record-kinds';
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

/** Sends a request while its parent is being archived, and commits the archiving once the request waits for it. */
async function sendMeanwhile(parent: Parent, operation: OperationFacts, path: string): Promise<Response> {
  const headers = { ...bearer(tenant.key), 'If-Match': '*' };
  const send = async () => controlPlane.api[operation.method](path).set(headers).send(operation.exampleBody);
  let call: Promise<Response> | undefined;
  await controlPlane.prisma.$transaction(async (transaction) => {
    const data = { status: 'archived' as const };
    if (parent === 'projectId') await transaction.project.update({ where: { id: tenant.projectId }, data });
    else await transaction.environment.update({ where: { id: tenant.development }, data });
    call = send();
    await eventually(somebodyWaits);
  });
  if (call === undefined) throw new Error('nothing was sent');
  return call;
}

type Parent = 'projectId' | 'environmentId';

/** The parent that must not be archived for an operation to succeed; undefined if there is none. */
function parentOf({ record, creates, changes, method, path }: OperationFacts): Parent | undefined {
  // A record can be archived later than its parent, and a restore has another text. Environments are archived with their project.
  if (record === undefined || !changes || method === 'delete' || path.endsWith('/restore')) return undefined;
  const parent = creates ? record : record === 'environmentId' ? undefined : recordKinds[record].parent;
  return parent === 'projectId' || parent === 'environmentId' ? parent : undefined;
}

const cases = operationFacts.flatMap((operation) => {
  const parent = parentOf(operation);
  return parent === undefined ? [] : [[operation.operationId, parent, operation] as const];
});

test.each(cases)('no %s is acknowledged after the parent (%s) was archived', async (operationId, parent, operation) => {
  const records = await recordsOf(controlPlane, tenant);
  if (operationId === 'unpublishContentAsset') {
    const publish = `/api/v1/management/content/${records.contentAssetId}/publish`;
    await controlPlane.api.post(publish).set(bearer(tenant.key)).expect(200);
  }
  const { body: answer } = await sendMeanwhile(parent, operation, pathOn(operation, records));
  const detail = `The ${recordKinds[parent].noun} is archived: it can be read but not changed.`;
  expect(answer).toMatchObject({ status: 409, code: 'conflict', detail });
});
