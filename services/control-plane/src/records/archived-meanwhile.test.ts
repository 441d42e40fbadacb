import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { newLicenseProfile } from '../testing/license-records';
import { bearer, createTenant, newContent, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

async function somebodyWaits(): Promise<void> {
  const [row] = await controlPlane.prisma.$queryRaw<{ waiting: bigint }[]>`
    SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  expect(row?.waiting).toBe(1n);
}

/** Sends a create while the archiving of what it belongs to is under way, and commits that once the create waits for it. */
async function createMeanwhile(table: 'project' | 'environment', path: string, body: object): Promise<Response> {
  const send = async () => controlPlane.api.post(`/api/v1/management/${path}`).set(bearer(tenant.key)).send(body);
  let create: Promise<Response> | undefined;
  await controlPlane.prisma.$transaction(async (transaction) => {
    const data = { status: 'archived' as const };
    if (table === 'project') await transaction.project.update({ where: { id: tenant.projectId }, data });
    else await transaction.environment.update({ where: { id: tenant.development }, data });
    create = send();
    await eventually(somebodyWaits);
  });
  if (create === undefined) throw new Error('nothing was sent');
  return create;
}

test.each<[string, 'project' | 'environment', () => string, () => object]>([
  ['rights', 'project', () => `projects/${tenant.projectId}/rights`, () => ({ name: 'Rental' })],
  [
    'license profile',
    'project',
    () => `projects/${tenant.projectId}/license-profiles`,
    () => newLicenseProfile('Premium'),
  ],
  ['end user', 'project', () => `projects/${tenant.projectId}/users`, () => ({ subject: 'student' })],
  [
    'API client',
    'project',
    () => `projects/${tenant.projectId}/api-clients`,
    () => ({ name: 'Backend', permissions: ['sessions:read'] }),
  ],
  ['content asset', 'environment', () => `environments/${tenant.development}/content`, () => newContent()],
])('%s: no create is acknowledged after the archiving of its %s', async (_kind, table, path, body) => {
  const { body: answer } = await createMeanwhile(table, path(), body());
  expect(answer).toMatchObject({ status: 409, code: 'conflict' });
});
