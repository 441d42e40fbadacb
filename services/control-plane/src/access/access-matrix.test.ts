import { randomUUID } from 'node:crypto';
import { timesAsMany } from '@multi-drm/test-kit/fuzzing';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { type OperationFacts, operationFacts, pathOn } from '../testing/operation-facts';
import { recordsOf } from '../testing/record-kinds';
import { bearer, createManagementKey, createTenant, type TestTenant } from '../testing/records';

const roles = ['viewer', 'support', 'editor', 'admin', 'owner', 'operator'] as const;
type Role = (typeof roles)[number];

// Operations that end a record come last, children before parents: an ended record is answered differently, for reasons other than access.
const parents = ['archiveEnvironment', 'archiveProject', 'archiveOrganization'];
const order = ({ method, operationId }: OperationFacts) =>
  method === 'delete' ? 1 + parents.indexOf(operationId) : -1;
const operations = operationFacts.toSorted((a, b) => order(a) - order(b));
const secured = operations.filter(({ role }) => role !== 'everybody');

let controlPlane: TestControlPlane;
let ours: TestTenant;
let ourRecords: Record<string, string>;
let theirRecords: Record<string, string>;
let keys: Record<Role | 'expired' | 'revoked', string>;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  ours = await createTenant(controlPlane);
  ourRecords = await recordsOf(controlPlane, ours);
  theirRecords = await recordsOf(controlPlane, await createTenant(controlPlane));
  const { now } = controlPlane.clock;
  const keyOf = (role: Exclude<Role, 'operator'>, ended: object = {}) =>
    createManagementKey(controlPlane, ours.organizationId, { role, ...ended });
  keys = {
    viewer: await keyOf('viewer'),
    support: await keyOf('support'),
    editor: await keyOf('editor'),
    admin: await keyOf('admin'),
    owner: await keyOf('owner'),
    operator: operatorKey,
    expired: await keyOf('owner', { expiresAt: now }),
    revoked: await keyOf('owner', { revokedAt: now }),
  };
});

/**
 * Calls an operation, with a body that its schema rejects if it takes one. Returns the response without
 * request-specific parts.
 */
async function call(operation: OperationFacts, records: Record<string, string>, key?: string) {
  const url = pathOn(operation, records);
  const { method } = operation;
  const request = controlPlane.api[method](url).set('X-Request-Id', 'the-same-request');
  if (key !== undefined) request.set(bearer(key));
  const { status, headers, text } =
    method === 'get' || method === 'delete' ? await request : await request.send({ no: 1 });
  const { date: _date, 'content-length': _length, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(url, '<path>') };
}

/**
 * The lowest role that may call an operation and the next lower one, which may not. `npm run long` tries all. Which roles may is tested
 * with all of them below.
 */
function rolesBesideLimit({ role: lowest }: OperationFacts): Role[] {
  const limit = roles.indexOf(lowest as Role);
  const beside = timesAsMany > 1 ? roles : roles.slice(Math.max(limit - 1, 0), limit + 1);
  return beside.filter((role) => role !== 'operator');
}

// Runs before the rows below, which archive records.
describe.each(secured.filter(({ path }) => path.includes('{')))("another organization's record", (operation) => {
  const { operationId, role: lowest } = operation;

  test.each(rolesBesideLimit(operation))(`is hidden from the %s calling ${operationId}`, async (role) => {
    const unknown = Object.fromEntries(Object.keys(theirRecords).map((parameter) => [parameter, randomUUID()]));
    const foreign = await call(operation, theirRecords, keys[role]);
    expect(foreign).toEqual(await call(operation, { ...unknown, drmSystem: 'widevine' }, keys[role]));
    const may = roles.indexOf(role) >= roles.indexOf(lowest as Role);
    expect(foreign.status).toBe(may ? 404 : 403);
  });
});

describe.each(operations)('$operationId', (operation) => {
  const lowest = operation.role;
  const isSecured = lowest !== 'everybody';

  test(`is open to ${lowest}${isSecured ? ' and higher roles' : ''}, and to nobody else`, async () => {
    for (const role of roles) {
      const may = !isSecured || roles.indexOf(role) >= roles.indexOf(lowest);
      const { status } = await call(operation, ourRecords, keys[role]);
      if (may) expect({ role, refused: [401, 403, 404].includes(status) }).toEqual({ role, refused: false });
      else expect({ role, status }).toEqual({ role, status: 403 });
    }
  });

  if (!isSecured) return;

  test.each(['none', 'expired', 'revoked'] as const)('rejects a credential that is %s', async (kind) => {
    const { status, text } = await call(operation, ourRecords, kind === 'none' ? undefined : keys[kind]);
    expect(status).toBe(401);
    expect(JSON.parse(text).code).toBe('authentication_required');
  });
});
