import type { Response } from 'supertest';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { newLicenseProfile } from '../testing/license-records';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';
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

/** Creates a record in the project and returns its id. */
async function create(path: string, body: object, idField: string): Promise<string> {
  const created = await controlPlane.api
    .post(`/api/v1/management/projects/${tenant.projectId}/${path}`)
    .set(bearer(tenant.key))
    .send(body)
    .expect(200);
  return created.body[idField];
}

type Table = 'project' | 'environment' | 'rights' | 'license_profile' | 'content_asset' | 'end_user';

/** Sends a change while the record is being archived, and commits the archiving once the change waits for it. */
async function changeMeanwhile(table: Table, path: string, id: string, ifMatch: string): Promise<Response> {
  const field = { content_asset: 'title', end_user: 'displayName' }[table as string] ?? 'name';
  const send = async () =>
    controlPlane.api
      .patch(`/api/v1/management/${path}/${id}`)
      .set({ ...bearer(tenant.key), 'If-Match': ifMatch })
      .send({ [field]: 'Changed' });
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

const records: [string, Table, string, () => Promise<string> | string][] = [
  ['project', 'project', 'projects', () => tenant.projectId],
  ['environment', 'environment', 'environments', () => tenant.development],
  ['rights', 'rights', 'rights', () => create('rights', { name: 'Rental' }, 'rightsId')],
  [
    'license profile',
    'license_profile',
    'license-profiles',
    () => create('license-profiles', newLicenseProfile('Premium'), 'licenseProfileId'),
  ],
  ['content asset', 'content_asset', 'content', () => createContent(controlPlane, tenant)],
  ['end user', 'end_user', 'users', () => create('users', { subject: 'student' }, 'userId')],
];

describe.each(['*', '"1"'])('If-Match: %s', (ifMatch) => {
  test.each(records)('%s: a change after the archiving is a conflict', async (noun, table, path, id) => {
    const { body } = await changeMeanwhile(table, path, await id(), ifMatch);
    const detail = `The ${noun} is archived: it can be read but not changed.`;
    expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
  });
});
