import { randomUUID } from 'node:crypto';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile } from '../../testing/license-records';
import { bearer, createContent, createTenant, newContent, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const url = (contentAssetId: string) => `${management}/content/${contentAssetId}`;
const create = (body: object, environmentId = tenant.development) =>
  controlPlane.api.post(`${management}/environments/${environmentId}/content`).set(bearer(tenant.key)).send(body);
const read = (id: string) => controlPlane.api.get(url(id)).set(bearer(tenant.key));
const update = (id: string, body: object, ifMatch = '*') =>
  controlPlane.api
    .patch(url(id))
    .set({ ...bearer(tenant.key), 'If-Match': ifMatch })
    .send(body);
const publish = (id: string) => controlPlane.api.post(`${url(id)}/publish`).set(bearer(tenant.key));
const archive = (id: string) => controlPlane.api.delete(url(id)).set(bearer(tenant.key));
const entriesOf = (documentId: string) => controlPlane.prisma.outboxEntry.count({ where: { documentId } });
const eventsOf = (recordId: string) =>
  controlPlane.prisma.auditEvent.findMany({ where: { recordId }, orderBy: { id: 'asc' } });

const manifest = { type: 'dash', url: 'https://media.example.com/a.mpd', drmSystems: ['widevine'] };
const noProfile = { licenseProfileId: ['must be an active license profile of the project'] };

describe('changing content', () => {
  test.each(['draft', 'published'])('that is %s keeps absent fields and adds an outbox entry', async (status) => {
    const id = await createContent(controlPlane, tenant, { audioLanguages: ['de'] });
    if (status === 'published') await publish(id).expect(200);
    const before = await read(id).expect(200);
    controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1_000);
    const [entries, wakes] = [await entriesOf(id), controlPlane.wakes()];
    const change = { title: 'Lesson 43', manifests: [manifest], subtitleLanguages: ['EN-us'] };
    const response = await update(id, change, before.headers.etag).expect(200);
    expect(response.body).toEqual({
      ...before.body,
      ...change,
      subtitleLanguages: ['EN-us'],
      updatedAt: controlPlane.clock.now.toISOString(),
    });
    expect(response.headers.etag).not.toBe(before.headers.etag);
    const after = await read(id).expect(200);
    expect(after.body).toEqual(response.body);
    expect(after.headers.etag).toBe(response.headers.etag);
    expect(await entriesOf(id)).toBe(entries + 1);
    expect(controlPlane.wakes()).toBe(wakes + 1);
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      action: 'contentAsset.update',
      recordType: 'contentAsset',
      organizationId: tenant.organizationId,
      details: { fields: Object.keys(change) },
    });
  });

  test('follows the rules for creating it, and changes nothing if it is rejected', async () => {
    const created = await create(newContent(), tenant.production).expect(200);
    const id = created.body.contentAssetId;
    const { body } = await update(id, {
      manifests: [manifest, { ...manifest, url: 'http://media.example.com/a.mpd' }, manifest],
      licenseProfileId: randomUUID(),
    }).expect(400);
    expect(body.errors).toEqual({
      'manifests[1].url': ['must be https in a production environment'],
      'manifests[2]': ['repeats type and url of manifests[0]'],
      ...noProfile,
    });
    for (const change of [{ contentId: 'other' }, { kind: 'live' }, { status: 'published' }, {}]) {
      await update(id, change).expect(400);
    }
    expect((await read(id).expect(200)).body).toEqual(created.body);
    expect(await entriesOf(id)).toBe(1);
  });

  test('requires the current ETag: of two concurrent changes, one succeeds', async () => {
    const id = await createContent(controlPlane, tenant);
    const answers = await Promise.all([update(id, { title: 'A' }, '"1"'), update(id, { title: 'B' }, '"1"')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const missing = await controlPlane.api.patch(url(id)).set(bearer(tenant.key)).send({ title: 'C' });
    expect(missing.body).toMatchObject({ status: 428, code: 'precondition_required' });
  });

  test('cannot remove the last manifest of published video, but can for a draft and for audio', async () => {
    const video = await createContent(controlPlane, tenant);
    const audio = await createContent(controlPlane, tenant, { kind: 'audio' });
    await publish(video).expect(200);
    await publish(audio).expect(200);
    const { body } = await update(video, { manifests: [] }).expect(409);
    expect(body).toMatchObject({ code: 'conflict', detail: 'Published content of kind vod needs a manifest.' });
    await update(audio, { manifests: [] }).expect(200);
    await controlPlane.api
      .post(`${url(video)}/unpublish`)
      .set(bearer(tenant.key))
      .expect(200);
    await update(video, { manifests: [] }).expect(200);
  });

  test('concurrently with publishing never publishes video without a manifest', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await createContent(controlPlane, tenant);
      await Promise.all([publish(id), update(id, { manifests: [] })]);
      const { body } = await read(id).expect(200);
      expect(body.status === 'published' && body.manifests.length === 0).toBe(false);
    }
  });
});

describe('the license profile of content', () => {
  test('can be set, changed and removed', async () => {
    const [first, second] = [
      await createLicenseProfile(controlPlane, tenant, randomUUID()),
      await createLicenseProfile(controlPlane, tenant, randomUUID()),
    ];
    const created = await create({ ...newContent(), licenseProfileId: first.toUpperCase() }).expect(200);
    expect(created.body.licenseProfileId).toBe(first);
    const id = created.body.contentAssetId;
    expect((await update(id, { licenseProfileId: second }).expect(200)).body.licenseProfileId).toBe(second);
    expect((await update(id, { title: 'Same' }).expect(200)).body.licenseProfileId).toBe(second);
    expect((await update(id, { licenseProfileId: null }).expect(200)).body.licenseProfileId).toBeNull();
  });

  test('must be active and of the same project', async () => {
    const archived = await createLicenseProfile(controlPlane, tenant, randomUUID());
    await controlPlane.api.delete(`${management}/license-profiles/${archived}`).set(bearer(tenant.key)).expect(204);
    const foreign = await createLicenseProfile(controlPlane, await createTenant(controlPlane), 'Foreign');
    const id = await createContent(controlPlane, tenant);
    for (const licenseProfileId of [archived, foreign, randomUUID()]) {
      expect((await create({ ...newContent(), licenseProfileId }).expect(400)).body.errors).toEqual(noProfile);
      expect((await update(id, { licenseProfileId }).expect(400)).body.errors).toEqual(noProfile);
    }
  });
});

describe('archiving content', () => {
  test('removes it from lists and adds an outbox entry; it can still be read and keeps its contentId', async () => {
    const content = newContent();
    const id = (await create(content).expect(200)).body.contentAssetId;
    await publish(id).expect(200);
    const wakes = controlPlane.wakes();
    await archive(id).expect(204);
    expect(controlPlane.wakes()).toBe(wakes + 1);
    expect(await entriesOf(id)).toBe(3);
    await archive(id).expect(204);
    expect(await entriesOf(id)).toBe(3);
    const response = await read(id).expect(200);
    expect(response.body.status).toBe('archived');
    expect(response.headers.etag).toBe('"3"');
    const list = await controlPlane.api
      .get(`${management}/environments/${tenant.development}/content`)
      .query({ contentId: content.contentId })
      .set(bearer(tenant.key))
      .expect(200);
    expect(list.body).toMatchObject({ items: [], total: 0 });
    const { body } = await create(content).expect(409);
    expect(body).toMatchObject({
      code: 'conflict',
      detail:
        `The archived content asset ${id} has this contentId. ` +
        `Restore it with POST /api/v1/management/content/${id}/restore.`,
    });
    expect(await eventsOf(id)).toMatchObject([
      { action: 'contentAsset.create' },
      { action: 'contentAsset.publish' },
      { action: 'contentAsset.archive' },
    ]);
  });

  test('excludes further changes and publishing', async () => {
    const id = await createContent(controlPlane, tenant);
    await archive(id).expect(204);
    expect((await update(id, { title: 'Late' }).expect(409)).body.code).toBe('conflict');
    expect((await publish(id).expect(409)).body.code).toBe('conflict');
    const unpublished = await controlPlane.api
      .post(`${url(id)}/unpublish`)
      .set(bearer(tenant.key))
      .expect(409);
    expect(unpublished.body.code).toBe('conflict');
  });
});

test('the plan limits the content of an organization over all environments, without archived content', async () => {
  tenant = await createTenant(controlPlane);
  await controlPlane.prisma.contentAsset.createMany({
    data: [tenant.development, tenant.production].flatMap((environmentId) =>
      Array.from({ length: 499 }, () => ({
        environmentId,
        contentId: randomUUID(),
        kind: 'audio' as const,
        title: 'Song',
        audioLanguages: [],
        subtitleLanguages: [],
      })),
    ),
  });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      create(newContent(), index % 2 === 0 ? tenant.development : tenant.production),
    ),
  );
  const made = answers.filter(({ status }) => status === 200);
  expect(made).toHaveLength(2);
  const { body } = await create(newContent()).expect(403);
  expect(body).toMatchObject({
    code: 'plan_limit_reached',
    detail: 'The plan allows 1000 content assets, and 1000 are in use.',
    limit: { name: 'contentAssets', maximum: 1_000, used: 1_000 },
  });
  await archive(made[0]?.body.contentAssetId).expect(204);
  await create(newContent()).expect(200);
});
