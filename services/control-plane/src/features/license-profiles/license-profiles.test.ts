import { randomUUID } from 'node:crypto';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile, createRights, newLicenseProfile } from '../../testing/license-records';
import { bearer, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const listUrl = () => `${management}/projects/${tenant.projectId}/license-profiles`;
const create = (body: object, headers: Record<string, string> = {}) =>
  controlPlane.api
    .post(listUrl())
    .set({ ...bearer(tenant.key), ...headers })
    .send(body);
const list = () => controlPlane.api.get(listUrl()).set(bearer(tenant.key));
const read = (id: string) => controlPlane.api.get(`${management}/license-profiles/${id}`).set(bearer(tenant.key));
const update = (id: string, body: object, ifMatch = '*') =>
  controlPlane.api
    .patch(`${management}/license-profiles/${id}`)
    .set({ ...bearer(tenant.key), 'If-Match': ifMatch })
    .send(body);
const eventsOf = (recordId: string) =>
  controlPlane.prisma.auditEvent.findMany({ where: { recordId }, orderBy: { id: 'asc' } });
const entriesOf = (documentId: string) => controlPlane.prisma.outboxEntry.count({ where: { documentId } });

const complete = {
  name: 'Premium',
  description: 'Films in their first year',
  maximumHeight: 2160,
  tracks: [
    { trackTypes: ['AUDIO', 'SD'], widevine: { securityLevel: 1, hdcp: 'none' } },
    {
      trackTypes: ['HD', 'UHD1'],
      widevine: { securityLevel: 5, hdcp: '2.2' },
      playready: { securityLevel: 3000, outputProtection: 'hdcp-type1' },
      fairplay: { hdcp: 'type1' },
      wiseplay: { securityLevel: 2, outputControl: 2 },
    },
  ],
};

describe('creating a license profile', () => {
  test('stores all sent fields', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    const response = await create({ ...complete, rightsId: rightsId.toUpperCase() }).expect(200);
    expect(response.headers.etag).toBe('"1"');
    expect(response.body).toEqual({
      ...complete,
      rightsId,
      licenseProfileId: expect.any(String),
      projectId: tenant.projectId,
      status: 'active',
      createdAt: '2026-03-01T10:00:00.000Z',
      updatedAt: '2026-03-01T10:00:00.000Z',
    });
    expect((await read(response.body.licenseProfileId).expect(200)).body).toEqual(response.body);
  });

  test('is audited, adds an outbox entry, and wakes the publisher', async () => {
    const wakes = controlPlane.wakes();
    const { body } = await create(newLicenseProfile('Basic')).expect(200);
    expect(body).toMatchObject({ description: null, rightsId: null });
    expect(await eventsOf(body.licenseProfileId)).toMatchObject([
      { action: 'licenseProfile.create', recordType: 'licenseProfile', organizationId: tenant.organizationId },
    ]);
    expect(
      await controlPlane.prisma.outboxEntry.findMany({ where: { documentId: body.licenseProfileId } }),
    ).toMatchObject([{ documentKind: 'licenseProfile' }]);
    expect(controlPlane.wakes()).toBe(wakes + 1);
  });

  test('returns the same record for the same Idempotency-Key, even if its rights were archived since', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    const body = { ...newLicenseProfile('Once'), rightsId };
    const first = await create(body, { 'Idempotency-Key': 'k-1' }).expect(200);
    await update(first.body.licenseProfileId, { rightsId: null }).expect(200);
    await controlPlane.api.delete(`${management}/rights/${rightsId}`).set(bearer(tenant.key)).expect(204);
    const second = await create(body, { 'Idempotency-Key': 'k-1' }).expect(200);
    expect(second.body.licenseProfileId).toBe(first.body.licenseProfileId);
    expect(second.headers.etag).toBe('"2"');
    const other = await create({ ...body, maximumHeight: 720 }, { 'Idempotency-Key': 'k-1' }).expect(422);
    expect(other.body.code).toBe('idempotency_key_reused');
  });

  test('is a conflict if the project has the name, even archived; of twenty concurrent requests, one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(newLicenseProfile('Basic'))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'conflict')).toHaveLength(19);
    const made = answers.find(({ status }) => status === 200);
    await controlPlane.api
      .delete(`${management}/license-profiles/${made?.body.licenseProfileId}`)
      .set(bearer(tenant.key))
      .expect(204);
    const { body } = await create(newLicenseProfile('Basic')).expect(409);
    expect(body.detail).toMatch(`archived license profile ${made?.body.licenseProfileId} has this name`);
    tenant = await createTenant(controlPlane);
    await create(newLicenseProfile('Basic')).expect(200);
  });

  test.each(['single-software', 'single-hdcp', 'single-hardware', 'multi-tier-standard'])(
    'rejects the name of the built-in template %s',
    async (name) => {
      const { body } = await create(newLicenseProfile(name)).expect(400);
      expect(body.errors).toEqual({ name: ['is the name of a built-in template'] });
    },
  );

  test('accepts a name of 200 characters, whatever their bytes, and rejects one more', async () => {
    await create(newLicenseProfile('\u{1f600}'.repeat(200))).expect(200);
    const { body } = await create(newLicenseProfile('a'.repeat(201))).expect(400);
    expect(Object.keys(body.errors)).toEqual(['name']);
  });

  test('does not check whether its height is enough, which depends on the environment', async () => {
    const profile = { name: 'Small', maximumHeight: 240, tracks: [{ trackTypes: ['UHD2'] }] };
    const { body } = await create(profile).expect(200);
    await update(body.licenseProfileId, { maximumHeight: 1 }).expect(200);
  });

  test('reports all validation errors together', async () => {
    const { body } = await create({
      name: 'single-hdcp',
      maximumHeight: 576,
      tracks: [{ trackTypes: ['UHD1', 'HD'] }, { trackTypes: ['AUDIO', 'HD', 'UHD1'] }],
      rightsId: randomUUID(),
    }).expect(400);
    expect(body.errors).toEqual({
      name: ['is the name of a built-in template'],
      'tracks[1].trackTypes': ['repeats HD of tracks[0]', 'repeats UHD1 of tracks[0]'],
      rightsId: ['must be active rights of the project'],
    });
    expect((await list().expect(200)).body).toEqual([]);
  });

  test('rejects rights of another project and archived ones like unknown ones', async () => {
    const archived = await createRights(controlPlane, tenant);
    await controlPlane.api.delete(`${management}/rights/${archived}`).set(bearer(tenant.key)).expect(204);
    const foreign = await createRights(controlPlane, await createTenant(controlPlane));
    for (const rightsId of [archived, foreign, randomUUID()]) {
      const { body } = await create({ ...newLicenseProfile('P'), rightsId }).expect(400);
      expect(body.errors).toEqual({ rightsId: ['must be active rights of the project'] });
    }
  });

  test.each([
    ['maximumHeight', { maximumHeight: 4_321 }],
    ['tracks', { tracks: [] }],
    ['tracks[0].trackTypes', { tracks: [{ trackTypes: ['SD', 'SD'] }] }],
    [
      'tracks[0].widevine.securityLevel',
      { tracks: [{ trackTypes: ['SD'], widevine: { securityLevel: 6, hdcp: 'none' } }] },
    ],
    ['tracks[0].fairplay.hdcp', { tracks: [{ trackTypes: ['SD'], fairplay: { hdcp: '2.2' } }] }],
    ['rightsId', { rightsId: 'none' }],
    ['status', { status: 'active' }],
  ])('names the validation error in %s', async (field, changes) => {
    const { body } = await create({ ...newLicenseProfile('P'), ...changes }).expect(400);
    expect(Object.keys(body.errors)).toEqual([field]);
  });
});

describe('changing a license profile', () => {
  test('keeps absent fields, clears null ones, and adds an outbox entry', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    const { body: created } = await create({ ...complete, rightsId }).expect(200);
    controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1_000);
    const change = { description: null, rightsId: null, maximumHeight: 1_440 };
    const response = await update(created.licenseProfileId, change, '"1"').expect(200);
    expect(response.headers.etag).toBe('"2"');
    expect(response.body).toEqual({ ...created, ...change, updatedAt: controlPlane.clock.now.toISOString() });
    expect(await eventsOf(created.licenseProfileId)).toMatchObject([
      { action: 'licenseProfile.create' },
      { action: 'licenseProfile.update', details: { fields: Object.keys(change) } },
    ]);
    expect(await entriesOf(created.licenseProfileId)).toBe(2);
  });

  test('follows the same rules as creating it', async () => {
    const { body: created } = await create(complete).expect(200);
    const id = created.licenseProfileId;
    const tracks = [{ trackTypes: ['SD'] }, { trackTypes: ['SD'] }];
    expect((await update(id, { tracks }).expect(400)).body.errors).toHaveProperty(['tracks[1].trackTypes']);
    expect((await update(id, { name: 'single-hdcp' }).expect(400)).body.errors).toHaveProperty('name');
    expect((await update(id, { rightsId: randomUUID() }).expect(400)).body.errors).toHaveProperty('rightsId');
    await create(newLicenseProfile('Taken')).expect(200);
    expect((await update(id, { name: 'Taken' }).expect(409)).body.code).toBe('conflict');
    expect((await read(id).expect(200)).body).toEqual(created);
  });

  test('succeeds once for two concurrent requests with the same ETag', async () => {
    const id = await createLicenseProfile(controlPlane, tenant, 'Basic');
    const answers = await Promise.all([update(id, { name: 'A' }, '"1"'), update(id, { name: 'B' }, '"1"')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

describe('archiving a license profile', () => {
  const archive = (id: string) =>
    controlPlane.api.delete(`${management}/license-profiles/${id}`).set(bearer(tenant.key));

  test('removes it from the list and adds an outbox entry; it can still be read', async () => {
    const id = await createLicenseProfile(controlPlane, tenant, 'Basic');
    const wakes = controlPlane.wakes();
    await archive(id).expect(204);
    expect(controlPlane.wakes()).toBe(wakes + 1);
    await archive(id).expect(204);
    expect((await list().expect(200)).body).toEqual([]);
    const response = await read(id).expect(200);
    expect(response.body.status).toBe('archived');
    expect(response.headers.etag).toBe('"2"');
    expect(await entriesOf(id)).toBe(2);
    expect(await eventsOf(id)).toMatchObject([
      { action: 'licenseProfile.create' },
      { action: 'licenseProfile.archive' },
    ]);
    expect((await update(id, { name: 'Late' }).expect(409)).body.code).toBe('conflict');
  });
});

test('license profiles are listed oldest first, without those of other projects', async () => {
  const ids = [];
  for (const second of [2, 1, 3]) {
    controlPlane.clock.now = new Date(Date.UTC(2026, 2, 2, 0, 0, second));
    ids[second - 1] = await createLicenseProfile(controlPlane, tenant, `P${second}`);
  }
  await createLicenseProfile(controlPlane, await createTenant(controlPlane), 'P');
  const { body } = await list().expect(200);
  expect(body.map(({ licenseProfileId }: { licenseProfileId: string }) => licenseProfileId)).toEqual(ids);
});
