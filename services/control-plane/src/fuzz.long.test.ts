import { randomUUID } from 'node:crypto';
import { controlPlaneDocument, controlPlaneProblems } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';
import {
  families,
  fuzzOperation,
  stallsOf,
  worstRequests,
  worstRequestsOfAny,
  worstTarget,
} from '@multi-drm/test-kit/fuzzing';
import { formatCursor } from './features/audit-events/cursor';
import { operatorKey, startControlPlane, type TestControlPlane } from './testing/control-plane';
import { operationFacts } from './testing/operation-facts';
import { recordsOf } from './testing/record-kinds';
import { bearer, createTenant, newRegistration } from './testing/records';

let controlPlane: TestControlPlane;
let origin: string;
/** For operations that change nothing, or that change or create records without ending one. */
let readTenant: FuzzedTenant;
let changedTenant: FuzzedTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  origin = new URL(controlPlane.api.get('/').url).origin;
  [readTenant, changedTenant] = [await makeTenant(), await makeTenant()];
});

type FuzzedTenant = Awaited<ReturnType<typeof makeTenant>>;

/** A tenant with a record of each kind that operations can change or archive: its key, and the ids by name. */
async function makeTenant() {
  const tenant = await createTenant(controlPlane);
  // The fuzzer chooses the DRM system.
  const { drmSystem: _, ...records } = await recordsOf(controlPlane, tenant);
  const ids = Object.fromEntries(Object.entries(records).map(([parameter, id]) => [parameter, [id]])) as {
    [Parameter in keyof typeof records]: string[];
  };
  return { key: tenant.key, ids };
}

/** A position in every audit trail. */
const cursor = formatCursor({ occurredAt: new Date(), id: randomUUID() });

/** Usage is kept for a time, and long times are refused. */
const timesOf = (operationId: string) =>
  operationId.endsWith('Usage') ? { from: ['2026-02-28T12:00:00Z'], to: ['2026-03-01T10:00:00Z'] } : {};

/** What only the operator may do, and a list in which only the operator sees many records. */
const operatorsOwn = new Set([
  'listOrganizations',
  ...operationFacts.filter(({ role }) => role === 'operator').map(({ operationId }) => operationId),
]);

/** Fields with rules that no schema states, such as a time in the future or a record that must exist. */
const unstated = new RegExp(
  `^(?:${[
    'agreement\\.version|expiresAt|availableFrom|availableUntil|rightsId|licenseProfileId|environmentIds.*|certificate',
    'cursor|offset|from|to|url|secretHeaders.*|name|maximumHeight|tracks.*|keys.*|manifests.*|settings.*|backend.*|attributes',
  ].join('|')})$`,
  's',
);

/** Impossible once an earlier operation has chosen another backend, or disabled the webhook endpoint. */
const needsNewRecords = new Set(['configureDrmSystem', 'replayWebhookEvents', 'retryWebhookDelivery']);

/** A record that is archived, erased or revoked, or has another backend, cannot be used by the next operation. */
async function tenantOf({ method, operationId }: { method: string; operationId: string }): Promise<FuzzedTenant> {
  if (method === 'get') return readTenant;
  return method === 'delete' || needsNewRecords.has(operationId) ? makeTenant() : changedTenant;
}

test.each(operationsOf(controlPlaneDocument))(
  'whatever $operationId is sent, it answers as documented',
  async (operation) => {
    const { key, ids } = await tenantOf(operation);
    await fuzzOperation({
      document: controlPlaneDocument,
      operationId: operation.operationId,
      origin,
      credentials: bearer(operatorsOwn.has(operation.operationId) ? operatorKey : key),
      otherCredentials: [{}, bearer(operatorKey), bearer(key), bearer(`${key}x`)],
      parameters: { ...ids, 'If-Match': ['*'], cursor: [cursor], ...timesOf(operation.operationId) },
      members: {
        rightsId: ids.rightsId,
        licenseProfileId: ids.licenseProfileId,
        environmentIds: [ids.environmentId],
        backend: [{ type: 'clearkey' }],
        certificate: [undefined],
        version: ['2026-01'],
        expiresAt: ['2027-01-01T00:00:00Z'],
        planId: [undefined], // only the operator may change it
        status: [undefined],
        from: ['2026-02-20T00:00:00Z'],
        to: ['2026-03-01T09:00:00Z'],
      },
      unstated,
      problems: controlPlaneProblems,
      runs: operation.body === 'none' ? 6 : 12,
    });
    await controlPlane.api.post('/api/v1/organizations/registrations').send(newRegistration()).expect(201);
  },
);

const targetOf = (operationId: string) =>
  worstTarget(controlPlaneDocument, operationId, {
    headers: { ...bearer(operatorsOwn.has(operationId) ? operatorKey : readTenant.key), 'If-Match': '*' },
    parameters: readTenant.ids,
  });

const inFamilies = families(
  controlPlaneDocument,
  operationsOf(controlPlaneDocument).map(({ operationId }) => operationId),
);

test.each(inFamilies)('the worst requests for %s do not block other requests', async (operationId) => {
  const requests = worstRequests(targetOf(operationId));
  expect(await stallsOf(origin, requests)).toEqual([]);
});

test('neither the worst JSON nor the worst headers block other requests', async () => {
  const headers = [
    'Authorization',
    'If-Match',
    'Idempotency-Key',
    'Content-Type',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
  ];
  const requests = worstRequestsOfAny(targetOf('updateContentAsset'), [...headers, 'X-Request-Id', 'Accept', 'Cookie']);
  expect(await stallsOf(origin, requests)).toEqual([]);
});

test('invalid input never causes an internal error', () => {
  expect(controlPlane.log.filter(({ level }) => level === 'error')).toEqual([]);
});
