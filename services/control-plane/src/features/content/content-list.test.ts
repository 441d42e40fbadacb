import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createContent, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
const created: string[] = [];

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
  await createContent(controlPlane, await createTenant(controlPlane));
  // Ids grow in order of creation, which differs from the order of the times; two times are equal.
  const made = [];
  for (const second of [3, 1, 5, 2, 2, 4, 0]) {
    controlPlane.clock.now = new Date(Date.UTC(2026, 2, 2, 0, 0, second));
    made.push({ second, id: await createContent(controlPlane, tenant) });
  }
  created.push(...made.sort((a, b) => a.second - b.second || (a.id < b.id ? -1 : 1)).map(({ id }) => id));
});

const list = (query: string) =>
  controlPlane.api.get(`/api/v1/management/environments/${tenant.development}/content${query}`).set(bearer(tenant.key));
const idsOf = (body: { items: { contentAssetId: string }[] }) => body.items.map(({ contentAssetId }) => contentAssetId);

test('content is listed oldest first, then by id, with the total', async () => {
  const { body } = await list('').expect(200);
  expect(idsOf(body)).toEqual(created);
  expect(body).toMatchObject({ total: 7, limit: 50, offset: 0 });
});

test('pages follow each other without gaps or overlaps', async () => {
  const pages = [];
  for (const offset of [0, 3, 6, 9]) {
    const { body } = await list(`?limit=3&offset=${offset}`).expect(200);
    expect(body).toMatchObject({ total: 7, limit: 3, offset });
    pages.push(...idsOf(body));
  }
  expect(pages).toEqual(created);
});

test('an environment without content has an empty page', async () => {
  const { body } = await controlPlane.api
    .get(`/api/v1/management/environments/${tenant.production}/content`)
    .set(bearer(tenant.key))
    .expect(200);
  expect(body).toEqual({ items: [], total: 0, limit: 50, offset: 0 });
});

test.each([
  ['limit=10', { limit: 10 }],
  ['limit=1', { limit: 1 }],
  ['limit=200', { limit: 200 }],
  ['offset=0', { offset: 0 }],
  ['offset=-0', { offset: 0 }],
  ['offset=10', { offset: 10 }],
  ['offset=2147483647', { offset: 2_147_483_647 }],
])('%s is accepted', async (query, page) => {
  const { body } = await list(`?${query}`).expect(200);
  expect(body).toMatchObject(page);
  expect(Object.is(body.offset, -0)).toBe(false);
});

const malformed = ['-1', '01', '%2B1', '1e1', '0x10', '1.0', '2147483648', '', '%20', '1%20', 'ten'];

test.each([
  ...['0', '-0', '201', ...malformed].map((value) => ['limit', `limit=${value}`]),
  ...malformed.map((value) => ['offset', `offset=${value}`]),
  ['limit', 'limit=10&limit=10'],
  ['offset', 'offset=0&offset=0'],
])('a page with an invalid %s is rejected by name: %s', async (field, query) => {
  const { body } = await list(`?${query}`).expect(400);
  expect(body.code).toBe('invalid_request');
  expect(Object.keys(body.errors)).toEqual([field]);
});

describe('a filtered list', () => {
  const titled = (body: { items: { title: string }[] }) => body.items.map(({ title }) => title);
  let other: TestTenant;

  beforeAll(async () => {
    other = await createTenant(controlPlane);
    const add = (title: string, changes: object) => createContent(controlPlane, other, { title, ...changes });
    await add('A', { contentId: 'film a&b=c', kind: 'vod' });
    await add('B', { contentId: 'film-b', kind: 'live' });
    const published = await add('C', { contentId: 'film-c', kind: 'vod' });
    await controlPlane.api.post(`/api/v1/management/content/${published}/publish`).set(bearer(other.key)).expect(200);
    const archived = await add('D', { contentId: 'film-d', kind: 'vod' });
    await controlPlane.api.delete(`/api/v1/management/content/${archived}`).set(bearer(other.key)).expect(204);
  });

  const filtered = (query: Record<string, string>) =>
    controlPlane.api
      .get(`/api/v1/management/environments/${other.development}/content`)
      .query(query)
      .set(bearer(other.key));

  test.each([
    [{}, ['A', 'B', 'C']],
    [{ contentId: 'film a&b=c' }, ['A']],
    [{ contentId: 'film' }, []],
    [{ contentId: 'film-d' }, []],
    [{ kind: 'vod' }, ['A', 'C']],
    [{ kind: 'document' }, []],
    [{ status: 'draft' }, ['A', 'B']],
    [{ status: 'published' }, ['C']],
    [{ status: 'archived' }, ['D']],
    [{ status: 'archived', contentId: 'film-d' }, ['D']],
    [{ kind: 'live', status: 'published' }, []],
    [{ kind: 'vod', status: 'draft', limit: '1' }, ['A']],
  ])('with %j contains %j and their total', async (query, titles) => {
    const { body } = await filtered(query).expect(200);
    expect(titled(body)).toEqual(titles);
    expect(body.total).toBe(titles.length);
  });

  test.each([{ kind: 'film' }, { status: 'deleted' }, { status: '' }, { contentId: '' }])(
    'with %j is rejected by name',
    async (query) => {
      const { body } = await filtered(query as Record<string, string>).expect(400);
      expect(Object.keys(body.errors)).toEqual(Object.keys(query));
    },
  );
});

test('both validation errors of a page are reported together', async () => {
  const { body } = await list('?limit=0&offset=-1').expect(400);
  expect(Object.keys(body.errors).sort()).toEqual(['limit', 'offset']);
});

test('an unknown query parameter is rejected by name', async () => {
  const { body } = await list('?page=2').expect(400);
  expect(Object.keys(body.errors)).toEqual(['page']);
});
