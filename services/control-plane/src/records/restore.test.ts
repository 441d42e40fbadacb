import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { auditTrailOf } from '../testing/audit-trail';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { createLicenseProfile, createRights } from '../testing/license-records';
import { operationFacts } from '../testing/operation-facts';
import { recordKinds } from '../testing/record-kinds';
import { bearer, createContent, createTenant, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const call = async (method: 'get' | 'post' | 'delete', path: string, key = tenant.key): Promise<Response> =>
  controlPlane.api[method](`${management}/${path}`).set(bearer(key));
const setOrganization = (change: object) =>
  controlPlane.api
    .patch(`/api/v1/management/organizations/${tenant.organizationId}`)
    .set({ ...bearer(operatorKey), 'If-Match': '*' })
    .send(change)
    .expect(200);

/** What restores each kind of record that a customer archives. */
const kinds = operationFacts.flatMap(({ path, record, role }) => {
  if (!path.endsWith('/restore') || record === undefined || role === 'operator') return [];
  const [collection = ''] = path.replace(`${management}/`, '').split('/');
  return [[recordKinds[record].noun, collection, record] as const];
});

/** Ids of a list's records; some lists are paged. */
async function idsOf(list: string, id: string): Promise<unknown[]> {
  const { body } = await call('get', list);
  const items: Record<string, unknown>[] = Array.isArray(body) ? body : body.items;
  return items.map((item) => Object.values(item).find((value) => value === id)).filter((value) => value !== undefined);
}

describe.each(kinds)('an archived %s', (noun, collection, record) => {
  const { parent = 'organizationId', idIn } = recordKinds[record];
  const recordType = noun.replaceAll(/ (\w)/g, (_space, letter: string) => letter.toUpperCase());
  const parentPath = async () => `${parent.replace('Id', 's')}/${await recordKinds[parent].idIn(controlPlane, tenant)}`;
  const list = async () => `${await parentPath()}/${collection}`;
  const create = async () => {
    const path = `${collection}/${await idIn(controlPlane, tenant)}`;
    if (collection === 'content') await call('post', `${path}/publish`);
    return path;
  };

  test('is listed as archived, and is restored as it was', async () => {
    const path = await create();
    const id = path.split('/')[1] ?? '';
    const { body: before } = await call('get', path);
    expect(await idsOf(`${await list()}?status=archived`, id)).toEqual([]);
    expect((await call('delete', path)).status).toBe(204);
    expect(await idsOf(await list(), id)).toEqual([]);
    expect(await idsOf(`${await list()}?status=archived`, id)).toEqual([id]);
    const archived = await call('get', path);

    const restored = await call('post', `${path}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toEqual({ ...before, status: collection === 'content' ? 'draft' : 'active' });
    expect(restored.headers.etag).not.toBe(archived.headers.etag);
    expect((await call('get', path)).body).toEqual(restored.body);
    expect(await idsOf(await list(), id)).toEqual([id]);
    expect(await idsOf(`${await list()}?status=archived`, id)).toEqual([]);
    expect((await auditTrailOf(controlPlane, id)).at(-1)).toMatchObject({
      action: `${recordType}.restore`,
      recordType,
      organizationId: tenant.organizationId,
    });
  });

  test('is restored once: an active one stays as it is', async () => {
    const path = await create();
    await call('delete', path);
    const restored = await call('post', `${path}/restore`);
    const again = await call('post', `${path}/restore`);
    expect([again.status, again.headers.etag, again.body]).toEqual([200, restored.headers.etag, restored.body]);
    const trail = await auditTrailOf(controlPlane, path.split('/')[1] ?? '');
    expect(trail.filter(({ action }) => action === `${recordType}.restore`)).toHaveLength(1);
  });

  test('of a suspended organization is restored only by the operator', async () => {
    const path = await create();
    await call('delete', path);
    await setOrganization({ status: 'suspended' });
    expect((await call('post', `${path}/restore`)).body).toMatchObject({ status: 403, code: 'permission_denied' });
    expect((await call('post', `${path}/restore`, operatorKey)).status).toBe(200);
  });

  test('of an archived organization is not restored', async () => {
    const path = await create();
    await call('delete', path);
    await call('delete', `organizations/${tenant.organizationId}`, operatorKey);
    const { body } = await call('post', `${path}/restore`, operatorKey);
    expect(body).toMatchObject({ status: 409, code: 'conflict' });
  });

  test('ends up archived or restored by the last of concurrent calls', async () => {
    const path = await create();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0 ? call('delete', path) : call('post', `${path}/restore`),
      ),
    );
    for (const [index, { status }] of answers.entries()) expect(status).toBe(index % 2 === 0 ? 204 : 200);
    await call('post', `${path}/restore`);
    const trail = await auditTrailOf(controlPlane, path.split('/')[1] ?? '');
    const moves = trail
      .map(({ action }) => action.split('.')[1])
      .filter((verb) => verb !== 'create' && verb !== 'publish');
    // Alternating, and nothing twice.
    expect(moves).toEqual(moves.map((_, index) => (index % 2 === 0 ? 'archive' : 'restore')));
  });

  if (parent === 'organizationId') return;

  test(`of an archived ${recordKinds[parent].noun} is not restored before that is`, async () => {
    const path = await create();
    await call('delete', path);
    await call('delete', await parentPath());
    const { body } = await call('post', `${path}/restore`);
    const detail = `The ${recordKinds[parent].noun} is archived: restore it first.`;
    expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
  });
});

test.each(['content', 'license-profiles', 'rights'])('another status is rejected by a list of %s', async (kind) => {
  const owner = kind === 'content' ? `environments/${tenant.development}` : `projects/${tenant.projectId}`;
  const { body } = await call('get', `${owner}/${kind}?status=deleted`);
  expect(Object.keys(body.errors)).toEqual(['status']);
});

describe('what a restored record needs', () => {
  test('for a license profile are its rights: archived ones are named, to be restored first', async () => {
    const rightsId = await createRights(controlPlane, tenant);
    const id = await createLicenseProfile(controlPlane, tenant, 'Premium', { rightsId });
    await call('delete', `license-profiles/${id}`);
    await call('delete', `rights/${rightsId}`);
    const { body } = await call('post', `license-profiles/${id}/restore`);
    const detail = `The rights ${rightsId} are archived: restore them first.`;
    expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
    await call('post', `rights/${rightsId}/restore`);
    expect((await call('post', `license-profiles/${id}/restore`)).status).toBe(200);
  });

  test('for content is its license profile: an archived one is named, to be restored first', async () => {
    const licenseProfileId = await createLicenseProfile(controlPlane, tenant, 'Premium');
    const id = await createContent(controlPlane, tenant, { licenseProfileId });
    await call('delete', `content/${id}`);
    await call('delete', `license-profiles/${licenseProfileId}`);
    const { body } = await call('post', `content/${id}/restore`);
    const detail = `The license profile ${licenseProfileId} is archived: restore it first.`;
    expect(body).toMatchObject({ status: 409, code: 'conflict', detail });
    await call('post', `license-profiles/${licenseProfileId}/restore`);
    expect((await call('post', `content/${id}/restore`)).status).toBe(200);
  });
});

test('content is restored within the plan’s limit', async () => {
  const id = await createContent(controlPlane, tenant);
  await call('delete', `content/${id}`);
  await controlPlane.prisma.contentAsset.createMany({
    data: Array.from({ length: 1_000 }, () => ({
      environmentId: tenant.development,
      contentId: randomUUID(),
      kind: 'audio' as const,
      title: 'Song',
      audioLanguages: [],
      subtitleLanguages: [],
    })),
  });
  const { body } = await call('post', `content/${id}/restore`);
  expect(body).toMatchObject({
    status: 403,
    code: 'plan_limit_reached',
    limit: { name: 'contentAssets', maximum: 1_000, used: 1_000 },
  });
});

test('a license profile keeps its name while it is archived, and a create names it and how to restore it', async () => {
  const id = await createLicenseProfile(controlPlane, tenant, 'Premium');
  const create = (name: string) =>
    controlPlane.api
      .post(`/api/v1/management/projects/${tenant.projectId}/license-profiles`)
      .set(bearer(tenant.key))
      .send({ name, maximumHeight: 1080, tracks: [{ trackTypes: ['HD'] }] });
  expect((await create('Premium').expect(409)).body.detail).toBe(
    'The project already has a license profile with this name.',
  );
  await call('delete', `license-profiles/${id}`);
  const detail =
    `The archived license profile ${id} has this name. ` +
    `Restore it with POST /api/v1/management/license-profiles/${id}/restore.`;
  expect((await create('Premium').expect(409)).body).toMatchObject({ code: 'conflict', detail });
  const other = (await create('Other').expect(200)).body.licenseProfileId;
  const renamed = await controlPlane.api
    .patch(`/api/v1/management/license-profiles/${other}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send({ name: 'Premium' });
  expect(renamed.body).toMatchObject({ status: 409, code: 'conflict', detail });
});
