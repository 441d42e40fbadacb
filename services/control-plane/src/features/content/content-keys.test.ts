import { randomBytes } from 'node:crypto';
import { secretPlaces } from '@multi-drm/contracts';
import { Secrets } from '@multi-drm/service-kit';
import type { StoredContentKey } from '../../stores/content-assets';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, newContent, type TestTenant } from '../../testing/records';

const secretKey = randomBytes(32);
const secrets = new Secrets([{ id: 'tests', key: secretKey }], randomBytes);

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane({ environment: { SECRET_KEYS: `tests:${secretKey.toString('base64')}` } });
  tenant = await createTenant(controlPlane);
});

const [first, second] = ['10000000-1000-1000-1000-10000000000a', '20000000-2000-2000-2000-20000000000b'] as const;
const key = '00112233445566778899AABBCCDDEEFF';

const create = (keys: object[], environmentId = tenant.development, api = controlPlane.api) =>
  api
    .post(`/api/v1/management/environments/${environmentId}/content`)
    .set(bearer(tenant.key))
    .send({ ...newContent(), keys });
const update = (contentAssetId: string, keys: object[]) =>
  controlPlane.api
    .patch(`/api/v1/management/content/${contentAssetId}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send({ keys });
const storedKeys = async (id: string) =>
  (await controlPlane.prisma.contentAsset.findUniqueOrThrow({ where: { id } })).keys as unknown as StoredContentKey[];
const contentKeys = async (id: string) =>
  (await storedKeys(id)).map(({ keyId, key: text }) =>
    text === undefined ? null : secrets.decrypt(secretPlaces.contentKey(id, keyId), text),
  );

test('a content key is stored encrypted for its own place, and never shown', async () => {
  const response = await create([
    { keyId: first.toUpperCase(), trackTypes: ['SD'], key },
    { keyId: second, trackTypes: ['HD'] },
  ]).expect(200);
  const id = response.body.contentAssetId;
  expect(response.body.keys).toEqual([
    { keyId: first, trackTypes: ['SD'] },
    { keyId: second, trackTypes: ['HD'] },
  ]);
  expect(await contentKeys(id)).toEqual([key.toLowerCase(), null]);
  const stored = await controlPlane.prisma.$queryRaw<{ text: string }[]>`
    SELECT content_asset::text AS text FROM content_asset WHERE id = ${id}::uuid
    UNION ALL SELECT audit_event::text FROM audit_event WHERE record_id = ${id}`;
  expect(stored).toHaveLength(2);
  for (const { text } of stored) expect(text.toLowerCase()).not.toContain(key.toLowerCase());
  const read = await controlPlane.api.get(`/api/v1/management/content/${id}`).set(bearer(tenant.key)).expect(200);
  expect(read.text.toLowerCase()).not.toContain(key.toLowerCase());
});

test('a change keeps the content key of an entry sent without one, replaces a sent one, and drops the rest', async () => {
  const { body } = await create([
    { keyId: first, trackTypes: ['SD'], key },
    { keyId: second, trackTypes: ['HD'], key },
  ]).expect(200);
  const id = body.contentAssetId;
  const renewed = 'ff'.repeat(16);
  const changed = await update(id, [
    { keyId: second, trackTypes: ['HD', 'UHD1'], key: renewed },
    { keyId: first.toUpperCase(), trackTypes: ['AUDIO'] },
  ]).expect(200);
  expect(changed.body.keys).toEqual([
    { keyId: second, trackTypes: ['HD', 'UHD1'] },
    { keyId: first, trackTypes: ['AUDIO'] },
  ]);
  expect(await contentKeys(id)).toEqual([renewed, key.toLowerCase()]);
  await update(id, [{ keyId: second, trackTypes: ['HD'] }]).expect(200);
  await update(id, [{ keyId: first, trackTypes: ['SD'] }]).expect(200);
  expect(await contentKeys(id)).toEqual([null]);
});

test('a content key is rejected outside of development, in a create and in a change', async () => {
  const keys = [
    { keyId: first, trackTypes: ['SD'] },
    { keyId: second, trackTypes: ['HD'], key },
  ];
  const refused = await create(keys, tenant.production).expect(400);
  expect(refused.body.errors).toEqual({ 'keys[1].key': ['must be absent in a production environment'] });
  const { body } = await create([{ keyId: first, trackTypes: ['SD'] }], tenant.production).expect(200);
  const change = await update(body.contentAssetId, keys).expect(400);
  expect(change.body.errors).toEqual({ 'keys[1].key': ['must be absent in a production environment'] });
});

test('content without content keys requires no secret key in the settings', async () => {
  const bare = await startControlPlane({ environment: { SECRET_KEYS: '' } });
  const other = await createTenant(bare);
  const send = (keys: object[]) =>
    bare.api
      .post(`/api/v1/management/environments/${other.development}/content`)
      .set(bearer(other.key))
      .send({ ...newContent(), keys });
  await send([{ keyId: first, trackTypes: ['SD'] }]).expect(200);
  const refused = await send([{ keyId: first, trackTypes: ['SD'], key }]).expect(503);
  expect(refused.body.code).toBe('service_unavailable');
  expect(await bare.prisma.contentAsset.count()).toBe(1);
});
