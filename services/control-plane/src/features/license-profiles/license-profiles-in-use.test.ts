import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile } from '../../testing/license-records';
import { bearer, createContent, createTenant, newContent, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const patch = (path: string, body: object) =>
  controlPlane.api
    .patch(`${management}/${path}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send(body);
const update = (id: string, body: object) => patch(`license-profiles/${id}`, body);
const remove = (path: string) => controlPlane.api.delete(`${management}/${path}`).set(bearer(tenant.key));
const archive = (id: string) => remove(`license-profiles/${id}`);
const makeDefault = (name: string | null) =>
  patch(`environments/${tenant.production}`, { settings: { defaultLicensePolicyTemplate: name } });
const entriesOf = (documentId: string) => controlPlane.prisma.outboxEntry.count({ where: { documentId } });

/** Statuses of two concurrent calls that exclude each other. */
const eitherOf = [
  [204, 400],
  [409, 200],
];

test('a profile cannot be renamed while it is the default of an environment, but all else can change', async () => {
  const id = await createLicenseProfile(controlPlane, tenant, 'Premium');
  await makeDefault('Premium').expect(200);
  const { body } = await update(id, { name: 'Premium 2' }).expect(409);
  expect(body).toMatchObject({ code: 'record_in_use', detail: 'Needed by the environment "Production".' });
  await update(id, { name: 'Premium', description: 'The best' }).expect(200);
  await makeDefault('single-software').expect(200);
  await update(id, { name: 'Premium 2' }).expect(200);
});

test('a rename adds outbox entries for the content that has the profile, and no other change does', async () => {
  const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
  const contentAssetId = await createContent(controlPlane, tenant, { licenseProfileId });
  const other = await createContent(controlPlane, tenant);
  await update(licenseProfileId, { maximumHeight: 720 }).expect(200);
  expect(await entriesOf(contentAssetId)).toBe(1);
  await update(licenseProfileId, { name: 'Premium 2' }).expect(200);
  expect(await entriesOf(contentAssetId)).toBe(2);
  expect(await entriesOf(other)).toBe(1);
});

test('a profile cannot be archived while it is needed, and the error names what needs it', async () => {
  const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
  await makeDefault('Premium').expect(200);
  const contentAssetId = await createContent(controlPlane, tenant, { contentId: 'film-1', licenseProfileId });
  const { body } = await archive(licenseProfileId).expect(409);
  expect(body).toMatchObject({
    code: 'record_in_use',
    detail: 'Needed by the environment "Production" and the content asset "film-1".',
  });
  await makeDefault(null).expect(200);
  await remove(`content/${contentAssetId}`).expect(204);
  await archive(licenseProfileId).expect(204);
});

test('if many records need a profile, they are counted, the first ten are named, and a filter lists all', async () => {
  const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
  await createContent(controlPlane, tenant, { contentId: 'without' });
  const films = Array.from({ length: 12 }, (_, index) => `film-${index + 1}`);
  for (const contentId of films) await createContent(controlPlane, tenant, { contentId, licenseProfileId });
  const named = films.slice(0, 10).map((film) => `"${film}"`);
  const { body } = await archive(licenseProfileId).expect(409);
  expect(body.detail).toBe(
    `Needed by 12 content assets (${named.join(', ')} and 2 more). For each environment, ` +
      `GET ${management}/environments/{environmentId}/content?licenseProfileId=${licenseProfileId} lists all.`,
  );
  const list = `${management}/environments/${tenant.development}/content?licenseProfileId=${licenseProfileId}`;
  const listed = await controlPlane.api.get(list).set(bearer(tenant.key)).expect(200);
  expect(listed.body).toMatchObject({ total: 12, items: films.map((contentId) => ({ contentId })) });

  for (const { contentAssetId } of listed.body.items.slice(0, 2)) await remove(`content/${contentAssetId}`).expect(204);
  expect((await archive(licenseProfileId).expect(409)).body.detail).toMatch(
    /^Needed by 10 content assets \("film-3", .*"film-12"\)\.$/,
  );
});

test('content in an archived environment does not count', async () => {
  const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
  await makeDefault('Premium').expect(200);
  await createContent(controlPlane, { ...tenant, development: tenant.production }, { licenseProfileId });
  await remove(`environments/${tenant.production}`).expect(204);
  await archive(licenseProfileId).expect(204);
});

test('of concurrently archiving a profile and using it for content, one is rejected', async () => {
  for (let round = 0; round < 10; round += 1) {
    const licenseProfileId = await createLicenseProfile(controlPlane, tenant, `P${round}`);
    const [archived, created] = await Promise.all([
      archive(licenseProfileId),
      controlPlane.api
        .post(`${management}/environments/${tenant.development}/content`)
        .set(bearer(tenant.key))
        .send({ ...newContent(), licenseProfileId }),
    ]);
    expect(eitherOf).toContainEqual([archived.status, created.status]);
  }
});

test('of concurrently archiving a profile and making it the default of an environment, one is rejected', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = await createLicenseProfile(controlPlane, tenant, `P${round}`);
    const [archived, changed] = await Promise.all([archive(id), makeDefault(`P${round}`)]);
    expect(eitherOf).toContainEqual([archived.status, changed.status]);
  }
});
