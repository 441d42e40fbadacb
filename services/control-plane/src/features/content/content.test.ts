import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createContent, createTenant, newContent, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const create = (body: object, environmentId = tenant.development) =>
  controlPlane.api.post(`/api/v1/management/environments/${environmentId}/content`).set(bearer(tenant.key)).send(body);
const publish = (contentAssetId: string) =>
  controlPlane.api.post(`/api/v1/management/content/${contentAssetId}/publish`).set(bearer(tenant.key));
const unpublish = (contentAssetId: string) =>
  controlPlane.api.post(`/api/v1/management/content/${contentAssetId}/unpublish`).set(bearer(tenant.key));
const eventsOf = (recordId: string) =>
  controlPlane.prisma.auditEvent.findMany({ where: { recordId }, orderBy: { id: 'asc' } });
const entriesOf = (documentId: string) => controlPlane.prisma.outboxEntry.findMany({ where: { documentId } });

const manifest = { type: 'dash', url: 'https://media.example.com/a.mpd', drmSystems: ['widevine', 'playready'] };
const keyId = '10000000-1000-1000-1000-10000000000a';

describe('creating content', () => {
  test('creates a draft with all sent fields', async () => {
    const content = {
      ...newContent(),
      manifests: [manifest, { ...manifest, type: 'hls' }],
      keys: [{ keyId, trackTypes: ['AUDIO', 'HD'] }],
      audioLanguages: ['de', 'pt-BR'],
      subtitleLanguages: ['zh-Hant'],
    };
    const { body, headers } = await create(content).expect(200);
    expect(headers.etag).toBe('"1"');
    expect(body).toEqual({
      ...content,
      contentAssetId: expect.any(String),
      environmentId: tenant.development,
      licenseProfileId: null,
      status: 'draft',
      createdAt: '2026-03-01T10:00:00.000Z',
      updatedAt: '2026-03-01T10:00:00.000Z',
    });
  });

  test('stores empty lists for absent ones', async () => {
    const { manifests: _manifests, ...content } = newContent();
    const { body } = await create(content).expect(200);
    expect(body).toMatchObject({ manifests: [], keys: [], audioLanguages: [], subtitleLanguages: [] });
  });

  test('normalizes language tags and key ids', async () => {
    const { body } = await create({
      ...newContent(),
      keys: [{ keyId: keyId.toUpperCase(), trackTypes: ['SD'] }],
      audioLanguages: ['EN-us', 'en-US', 'iw', 'zh-YUE'],
      subtitleLanguages: ['ZH-hant-tw'],
    }).expect(200);
    expect(body).toMatchObject({
      keys: [{ keyId }],
      audioLanguages: ['EN-us', 'iw', 'zh-YUE'],
      subtitleLanguages: ['ZH-hant-tw'],
    });
  });

  test('adds an outbox entry, wakes the publisher and is audited', async () => {
    const wakes = controlPlane.wakes();
    const contentAssetId = await createContent(controlPlane, tenant);
    expect(await eventsOf(contentAssetId)).toMatchObject([
      { action: 'contentAsset.create', recordType: 'contentAsset', organizationId: tenant.organizationId },
    ]);
    expect(await entriesOf(contentAssetId)).toMatchObject([{ documentKind: 'content' }]);
    expect(controlPlane.wakes()).toBe(wakes + 1);
  });

  test('is a conflict only if the environment already has the contentId', async () => {
    const content = newContent();
    await create(content).expect(200);
    const { body } = await create({ ...content, title: 'Another' }).expect(409);
    expect(body).toMatchObject({
      code: 'conflict',
      detail: 'The environment already has content with this contentId.',
    });
    await create(content, tenant.production).expect(200);
  });

  test('happens once for an Idempotency-Key, even with concurrent requests', async () => {
    const content = { ...newContent(), keys: [{ keyId, trackTypes: ['SD'], key: '0f'.repeat(16) }] };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(content).set('Idempotency-Key', 'once').expect(200)),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    await create({ ...content, title: 'Other' })
      .set('Idempotency-Key', 'once')
      .expect(422);
  });

  test('accepts a contentId of any characters up to 200 bytes', async () => {
    await create({ ...newContent(), contentId: `{ü}/?#${'é'.repeat(96)}` }).expect(200);
    const { body } = await create({ ...newContent(), contentId: 'é'.repeat(101) }).expect(400);
    expect(body.errors).toEqual({ contentId: ['must be 1 to 200 bytes of UTF-8 without control characters'] });
  });

  test.each([
    'HTTPS://Media.Example.com/a.mpd',
    'https://media.example.com:443/a.mpd',
    'https://media.example.com/b/../a.mpd',
  ])('rejects a repeated manifest even if its URL is written %s', async (url) => {
    const manifests = [manifest, { ...manifest, url }, { ...manifest, url: 'https://media.example.com/A.mpd' }];
    const { body } = await create({ ...newContent(), manifests }).expect(400);
    expect(body.errors).toEqual({ 'manifests[1]': ['repeats type and url of manifests[0]'] });
  });

  test('accepts http manifests only in a development environment', async () => {
    const manifests = [manifest, { ...manifest, url: 'HTTP://media.example.com/a.mpd' }];
    await create({ ...newContent(), manifests }).expect(200);
    const { body } = await create({ ...newContent(), manifests }, tenant.production).expect(400);
    expect(body.errors).toEqual({ 'manifests[1].url': ['must be https in a production environment'] });
  });

  test('rejects repeated manifests and keys, and reports all validation errors together', async () => {
    const { body } = await create(
      {
        ...newContent(),
        manifests: [
          { ...manifest, url: 'http://media.example.com/a.mpd' },
          { ...manifest, url: 'http://media.example.com/a.mpd', drmSystems: ['fairplay'] },
          { ...manifest, type: 'hls', url: 'https://media.example.com/a.mpd' },
        ],
        keys: [
          { keyId, trackTypes: ['SD'] },
          { keyId: keyId.toUpperCase(), trackTypes: ['HD'] },
        ],
      },
      tenant.production,
    ).expect(400);
    expect(body.errors).toEqual({
      'manifests[0].url': ['must be https in a production environment'],
      'manifests[1].url': ['must be https in a production environment'],
      'manifests[1]': ['repeats type and url of manifests[0]'],
      'keys[1].keyId': ['repeats keys[0].keyId'],
    });
  });

  test.each([
    ['manifests[0].url', { manifests: [{ ...manifest, url: 'ftp://media.example.com/a.mpd' }] }],
    ['manifests[0].url', { manifests: [{ ...manifest, url: 'https://user:secret@media.example.com/a.mpd' }] }],
    ['manifests[0].drmSystems', { manifests: [{ ...manifest, drmSystems: [] }] }],
    ['manifests[0].drmSystems[0]', { manifests: [{ ...manifest, drmSystems: ['clearkey'] }] }],
    ['manifests[0].key', { manifests: [{ ...manifest, key: 'x' }] }],
    ['keys[0].keyId', { keys: [{ keyId: 'urn:uuid:5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77', trackTypes: ['SD'] }] }],
    ['keys[0].key', { keys: [{ keyId, trackTypes: ['SD'], key: '00'.repeat(15) }] }],
    ['keys[0].key', { keys: [{ keyId, trackTypes: ['SD'], key: 'g0'.repeat(16) }] }],
    ['licenseProfileId', { licenseProfileId: 'none' }],
    ['audioLanguages[0]', { audioLanguages: ['english language'] }],
    ['subtitleLanguages', { subtitleLanguages: ['en', 'en'] }],
    ['status', { status: 'published' }],
    ['kind', { kind: 'film' }],
    ['contentId', { contentId: '' }],
  ])('names the validation error in %s', async (field, changes) => {
    const { body } = await create({ ...newContent(), ...changes }).expect(400);
    expect(Object.keys(body.errors)).toEqual([field]);
  });
});

describe('publishing content', () => {
  test('publishes a draft, adds an outbox entry and wakes the publisher', async () => {
    const contentAssetId = await createContent(controlPlane, tenant);
    controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1_000);
    const wakes = controlPlane.wakes();
    const { body, headers } = await publish(contentAssetId).expect(200);
    expect(headers.etag).toBe('"2"');
    expect(body).toMatchObject({
      contentAssetId,
      status: 'published',
      updatedAt: controlPlane.clock.now.toISOString(),
    });
    expect(await entriesOf(contentAssetId)).toHaveLength(2);
    expect(controlPlane.wakes()).toBe(wakes + 1);
  });

  test('changes nothing if it is already published', async () => {
    const contentAssetId = await createContent(controlPlane, tenant);
    const first = await publish(contentAssetId).expect(200);
    controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1_000);
    const second = await publish(contentAssetId).expect(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(await entriesOf(contentAssetId)).toHaveLength(2);
  });

  test('many times concurrently publishes it once', async () => {
    const contentAssetId = await createContent(controlPlane, tenant);
    await Promise.all(Array.from({ length: 10 }, async () => publish(contentAssetId).expect(200)));
    expect(await entriesOf(contentAssetId)).toHaveLength(2);
  });

  test.each(['vod', 'live'] as const)(
    'of kind %s without a manifest is rejected with what is missing',
    async (kind) => {
      const contentAssetId = await createContent(controlPlane, tenant, { kind, manifests: [] });
      const { body } = await publish(contentAssetId).expect(409);
      expect(body).toMatchObject({
        code: 'conflict',
        detail: `Published content of kind ${kind} needs a manifest.`,
      });
    },
  );

  test.each(['audio', 'document'] as const)('of kind %s requires no manifest', async (kind) => {
    await publish(await createContent(controlPlane, tenant, { kind, manifests: [] })).expect(200);
  });

  test('accepts {} as an empty body, and rejects any other body', async () => {
    const contentAssetId = await createContent(controlPlane, tenant);
    const { body } = await publish(contentAssetId).send({ anything: true }).expect(400);
    expect(body.errors).toEqual({ body: ['is not allowed here: send no body, or {}'] });
    await publish(contentAssetId).send({}).expect(200);
  });
});

describe('unpublishing content', () => {
  test('turns it into a draft again, once', async () => {
    const contentAssetId = await createContent(controlPlane, tenant);
    await publish(contentAssetId).expect(200);
    const wakes = controlPlane.wakes();
    const first = await unpublish(contentAssetId).expect(200);
    expect(first.body.status).toBe('draft');
    expect(first.headers.etag).toBe('"3"');
    expect(await entriesOf(contentAssetId)).toHaveLength(3);
    expect(controlPlane.wakes()).toBe(wakes + 1);
    const second = await unpublish(contentAssetId).expect(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers.etag).toBe('"3"');
    expect(await entriesOf(contentAssetId)).toHaveLength(3);
    expect(await eventsOf(contentAssetId)).toMatchObject([
      { action: 'contentAsset.create' },
      { action: 'contentAsset.publish' },
      { action: 'contentAsset.unpublish' },
    ]);
  });
});
