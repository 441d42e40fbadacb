import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile, createRights } from '../../testing/license-records';
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
const listUrl = () => `${management}/projects/${tenant.projectId}/rights`;
const create = (body: object, headers: Record<string, string> = {}) =>
  controlPlane.api
    .post(listUrl())
    .set({ ...bearer(tenant.key), ...headers })
    .send(body);
const list = () => controlPlane.api.get(listUrl()).set(bearer(tenant.key));
const read = (rightsId: string) => controlPlane.api.get(`${management}/rights/${rightsId}`).set(bearer(tenant.key));
const update = (rightsId: string, body: object, ifMatch = '*') =>
  controlPlane.api
    .patch(`${management}/rights/${rightsId}`)
    .set({ ...bearer(tenant.key), 'If-Match': ifMatch })
    .send(body);
const archive = (rightsId: string) =>
  controlPlane.api.delete(`${management}/rights/${rightsId}`).set(bearer(tenant.key));
const eventsOf = (recordId: string) =>
  controlPlane.prisma.auditEvent.findMany({ where: { recordId }, orderBy: { id: 'asc' } });

const complete = {
  name: 'Rental',
  description: 'Two days',
  maximumConcurrentStreams: 2,
  atStreamLimit: 'evict-oldest',
  licenseDurationSeconds: 172_800,
  playbackDurationSeconds: 86_400,
  availableFrom: '2026-04-01T00:00:00.000Z',
  availableUntil: '2026-05-01T00:00:00.000Z',
  allowedClientPlatforms: ['web', 'android'],
};

describe('creating rights', () => {
  test('stores all sent fields', async () => {
    const response = await create(complete).expect(200);
    expect(response.headers.etag).toBe('"1"');
    expect(response.body).toEqual({
      ...complete,
      rightsId: expect.any(String),
      projectId: tenant.projectId,
      status: 'active',
      createdAt: '2026-03-01T10:00:00.000Z',
      updatedAt: '2026-03-01T10:00:00.000Z',
    });
    expect((await read(response.body.rightsId).expect(200)).body).toEqual(response.body);
  });

  test('sets no restriction for absent fields', async () => {
    const { body } = await create({ name: 'Open' }).expect(200);
    expect(body).toMatchObject({
      description: null,
      maximumConcurrentStreams: null,
      atStreamLimit: 'reject',
      licenseDurationSeconds: null,
      playbackDurationSeconds: null,
      availableFrom: null,
      availableUntil: null,
      allowedClientPlatforms: null,
    });
  });

  test('is audited', async () => {
    const { body } = await create(complete).expect(200);
    expect(await eventsOf(body.rightsId)).toMatchObject([
      { action: 'rights.create', recordType: 'rights', organizationId: tenant.organizationId },
    ]);
  });

  test('happens once for an Idempotency-Key, even with concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create({ name: 'Once' }, { 'Idempotency-Key': 'k-1' }).expect(200)),
    );
    expect(new Set(answers.map(({ body }) => body.rightsId)).size).toBe(1);
    expect((await list().expect(200)).body).toHaveLength(1);
  });

  test.each([
    ['name', { name: ' ' }],
    ['maximumConcurrentStreams', { maximumConcurrentStreams: 1_001 }],
    ['atStreamLimit', { atStreamLimit: 'evict_oldest' }],
    ['licenseDurationSeconds', { licenseDurationSeconds: 0 }],
    ['playbackDurationSeconds', { playbackDurationSeconds: 31_536_001 }],
    ['availableFrom', { availableFrom: '2026-13-01T00:00:00Z' }],
    ['availableFrom', { availableFrom: '2026-05-01T00:00:00Z' }],
    ['availableFrom', { availableFrom: '2026-06-01T00:00:00Z' }],
    ['allowedClientPlatforms', { allowedClientPlatforms: [] }],
    ['allowedClientPlatforms', { allowedClientPlatforms: ['web', 'web'] }],
    ['status', { status: 'active' }],
  ])('names the validation error in %s', async (field, changes) => {
    const { body } = await create({ ...complete, ...changes }).expect(400);
    expect(Object.keys(body.errors)).toEqual([field]);
    expect((await list().expect(200)).body).toEqual([]);
  });
});

describe('changing rights', () => {
  test('keeps absent fields and clears null ones', async () => {
    const { body: created } = await create(complete).expect(200);
    controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1_000);
    const change = { maximumConcurrentStreams: null, availableUntil: null, allowedClientPlatforms: null };
    const response = await update(created.rightsId, change, '"1"').expect(200);
    expect(response.headers.etag).toBe('"2"');
    expect(response.body).toEqual({ ...created, ...change, updatedAt: controlPlane.clock.now.toISOString() });
    expect((await read(created.rightsId).expect(200)).body).toEqual(response.body);
    expect(await eventsOf(created.rightsId)).toMatchObject([
      { action: 'rights.create' },
      { action: 'rights.update', details: { fields: Object.keys(change) } },
    ]);
  });

  test('adds outbox entries for every license profile of the rights and wakes the publisher', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    const ids = [
      await createLicenseProfile(controlPlane, tenant, 'A', { rightsId }),
      await createLicenseProfile(controlPlane, tenant, 'B', { rightsId }),
    ];
    await createLicenseProfile(controlPlane, tenant, 'C');
    await controlPlane.prisma.outboxEntry.deleteMany();
    const wakes = controlPlane.wakes();
    await update(rightsId, { maximumConcurrentStreams: 4 }).expect(200);
    const entries = await controlPlane.prisma.outboxEntry.findMany({ orderBy: { documentId: 'asc' } });
    expect(entries).toMatchObject(ids.map((documentId) => ({ documentKind: 'licenseProfile', documentId })));
    expect(controlPlane.wakes()).toBe(wakes + 1);
  });

  test('compares a new end of the availability window with the stored other end', async () => {
    const { body: created } = await create(complete).expect(200);
    const late = await update(created.rightsId, { availableFrom: complete.availableUntil }).expect(400);
    expect(late.body.errors).toEqual({ availableFrom: ['must be before availableUntil'] });
    const early = await update(created.rightsId, { availableUntil: complete.availableFrom }).expect(400);
    expect(early.body.errors).toEqual({ availableUntil: ['must be after availableFrom'] });
    expect((await read(created.rightsId).expect(200)).body).toEqual(created);
  });

  test('requires the current ETag: of two concurrent changes, one succeeds', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    const answers = await Promise.all([update(rightsId, { name: 'A' }, '"1"'), update(rightsId, { name: 'B' }, '"1"')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const missing = await controlPlane.api
      .patch(`${management}/rights/${rightsId}`)
      .set(bearer(tenant.key))
      .send({ name: 'C' });
    expect(missing.body).toMatchObject({ status: 428, code: 'precondition_required' });
  });
});

describe('archiving rights', () => {
  test('removes them from the list; they can still be read', async () => {
    const [first, second] = [await createRights(controlPlane, tenant), await createRights(controlPlane, tenant)];
    await archive(first).expect(204);
    await archive(first).expect(204);
    expect((await list().expect(200)).body).toMatchObject([{ rightsId: second }]);
    const response = await read(first).expect(200);
    expect(response.body.status).toBe('archived');
    expect(response.headers.etag).toBe('"2"');
    expect(await eventsOf(first)).toMatchObject([{ action: 'rights.create' }, { action: 'rights.archive' }]);
    expect((await update(first, { name: 'Late' }).expect(409)).body.code).toBe('conflict');
  });

  test('is rejected while a license profile needs them, naming the profile', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    const profileId = await createLicenseProfile(controlPlane, tenant, 'Premium', { rightsId });
    const { body } = await archive(rightsId).expect(409);
    expect(body).toMatchObject({ code: 'record_in_use', detail: 'Needed by the license profile "Premium".' });
    await controlPlane.api.delete(`${management}/license-profiles/${profileId}`).set(bearer(tenant.key)).expect(204);
    await archive(rightsId).expect(204);
  });

  test('is rejected while many profiles need them: they are counted, ten are named, and a filter lists all', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    await createLicenseProfile(controlPlane, tenant, 'Without');
    const names = Array.from({ length: 11 }, (_, index) => `Profile ${index}`);
    for (const name of names) await createLicenseProfile(controlPlane, tenant, name, { rightsId });
    const named = names.slice(0, 10).map((name) => `"${name}"`);
    const path = `${management}/projects/${tenant.projectId}/license-profiles?rightsId=${rightsId}`;
    const { body } = await archive(rightsId).expect(409);
    expect(body.detail).toBe(`Needed by 11 license profiles (${named.join(', ')} and 1 more). GET ${path} lists all.`);
    const listed = await controlPlane.api.get(path).set(bearer(tenant.key)).expect(200);
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  test('concurrently with using them in a profile, one of the two is rejected', async () => {
    for (let round = 0; round < 10; round += 1) {
      const rightsId = await createRights(controlPlane, tenant);
      const [archived, created] = await Promise.all([
        archive(rightsId),
        controlPlane.api
          .post(`${management}/projects/${tenant.projectId}/license-profiles`)
          .set(bearer(tenant.key))
          .send({ name: `P${round}`, maximumHeight: 1080, tracks: [{ trackTypes: ['SD'] }], rightsId }),
      ]);
      expect([
        [204, 400],
        [409, 200],
      ]).toContainEqual([archived.status, created.status]);
    }
  });
});

test('rights are listed oldest first, without those of other projects', async () => {
  const ids = [];
  for (const second of [2, 1, 3]) {
    controlPlane.clock.now = new Date(Date.UTC(2026, 2, 2, 0, 0, second));
    ids[second - 1] = await createRights(controlPlane, tenant);
  }
  await createRights(controlPlane, await createTenant(controlPlane));
  const { body } = await list().expect(200);
  expect(body.map(({ rightsId }: { rightsId: string }) => rightsId)).toEqual(ids);
});
