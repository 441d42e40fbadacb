import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { createLicenseProfile, createRights } from '../testing/license-records';
import { bearer, createContent, createTenant, newRegistration, type TestTenant } from '../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

type Query = Record<string, string>;
type Item = Record<string, string | null>;
const list = (path: string, query: Query, key = tenant.key) =>
  controlPlane.api.get(`/api/v1/management/${path}`).query(query).set(bearer(key));
/** The values of a field on a page, or in an unpaged list. */
async function valuesOf(path: string, field: string, query: Query, key?: string): Promise<(string | null)[]> {
  const { body } = await list(path, query, key).expect(200);
  return ((body.items ?? body) as Item[]).map((item) => item[field] ?? null);
}
const post = (path: string, body: object) =>
  controlPlane.api.post(`/api/v1/management/${path}`).set(bearer(tenant.key)).send(body).expect(200);
const later = () => {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1);
};

describe('content', () => {
  const path = () => `environments/${tenant.development}/content`;
  const titles = (query: Query) => valuesOf(path(), 'title', query);

  beforeAll(async () => {
    for (const [title, contentId] of [
      ['Zebra', 'film-3'],
      ['apple', 'Film-1'],
      ['Apple pie', 'series_1'],
      ['100% pure', 'film_x'],
      ['Übung', 'c\\d'],
      ['Apple', 'film-2'],
    ]) {
      later();
      await createContent(controlPlane, tenant, { title: title ?? '', contentId: contentId ?? '' });
    }
  });

  test.each<[string, string[]]>([
    ['APP', ['apple', 'Apple pie', 'Apple']],
    ['apple ', ['Apple pie']],
    ['pple', []],
    ['film-', ['Zebra', 'apple', 'Apple']],
    ['film_', ['100% pure']],
    ['100%', ['100% pure']],
    ['%', []],
    ['_', []],
    ['c\\', ['Übung']],
    ['\\', []],
    ['übung', ['Übung']],
    ['U\u0308bung', ['Übung']],
    ['ａｐｐｌｅ ', ['Apple pie']],
    ["a' OR true --", []],
  ])('searched for %j is found by the start of title or contentId', async (search, found) => {
    expect(await titles({ search })).toEqual(found);
    expect((await list(path(), { search }).expect(200)).body.total).toBe(found.length);
  });

  test('is filtered by all parameters of the query', async () => {
    expect(await titles({ search: 'apple', contentId: 'film-2' })).toEqual(['Apple']);
    expect(await titles({ search: 'apple', status: 'published' })).toEqual([]);
    expect(await titles({ search: 'apple', sort: '-contentId', limit: '2', offset: '1' })).toEqual(['Apple', 'apple']);
  });

  test.each<[string, string[]]>([
    ['createdAt', ['Zebra', 'apple', 'Apple pie', '100% pure', 'Übung', 'Apple']],
    ['-createdAt', ['Apple', 'Übung', '100% pure', 'Apple pie', 'apple', 'Zebra']],
    ['contentId', ['Übung', 'apple', 'Apple', 'Zebra', '100% pure', 'Apple pie']],
    ['-updatedAt', ['Apple', 'Übung', '100% pure', 'Apple pie', 'apple', 'Zebra']],
  ])('is sorted by %s', async (sort, sorted) => {
    expect(await titles({ sort })).toEqual(sorted);
  });

  test.each(['title', '-title'])('sorted by %s is paged without gaps or overlaps, from either end', async (sort) => {
    const all = (await list(path(), { sort }).expect(200)).body.items as Item[];
    const keys = all.map(({ title }) => title?.toLowerCase());
    const ascending = ['100% pure', 'apple', 'apple', 'apple pie', 'zebra', 'übung'];
    expect(keys).toEqual(sort === 'title' ? ascending : ascending.reverse());
    const pages = [];
    for (let offset = 0; offset < all.length; offset += 1) {
      pages.push(...(await list(path(), { sort, limit: '1', offset: String(offset) }).expect(200)).body.items);
    }
    expect(pages).toEqual(all);
  });

  test('with a new title is found only by that', async () => {
    const { body } = await list(path(), { contentId: 'film-3' }).expect(200);
    await controlPlane.api
      .patch(`/api/v1/management/content/${body.items[0].contentAssetId}`)
      .set({ ...bearer(tenant.key), 'If-Match': '*' })
      .send({ title: 'Quagga' })
      .expect(200);
    expect(await titles({ search: 'zebra' })).toEqual([]);
    expect(await titles({ search: 'quagga' })).toEqual(['Quagga']);
  });

  test('of another environment is never found', async () => {
    expect(await valuesOf(`environments/${tenant.production}/content`, 'title', { search: 'apple' })).toEqual([]);
  });
});

describe('end users', () => {
  const path = () => `projects/${tenant.projectId}/users`;
  const subjects = (query: Query) => valuesOf(path(), 'subject', query);

  beforeAll(async () => {
    for (const user of [
      { subject: 'student-2', displayName: 'Grace Hopper', email: 'grace@example.com' },
      { subject: 'Student-1', displayName: 'ada Lovelace', email: 'Lady@example.com' },
      { subject: 'a_b' },
    ]) {
      later();
      await post(path(), user);
    }
  });

  test.each<[string, string[]]>([
    ['student', ['student-2', 'Student-1']],
    ['ADA', ['Student-1']],
    ['lady@', ['Student-1']],
    ['grace', ['student-2']],
    ['a_', ['a_b']],
    ['hopper', []],
  ])('searched for %j are found by subject, display name or e-mail address', async (search, found) => {
    expect(await subjects({ search })).toEqual(found);
  });

  test.each<[string, string[]]>([
    ['subject', ['a_b', 'Student-1', 'student-2']],
    ['-subject', ['student-2', 'Student-1', 'a_b']],
    ['displayName', ['Student-1', 'student-2', 'a_b']],
    ['-email', ['a_b', 'Student-1', 'student-2']],
    ['-createdAt', ['a_b', 'Student-1', 'student-2']],
  ])('are sorted by %s', async (sort, sorted) => {
    expect(await subjects({ sort })).toEqual(sorted);
    const paged = [];
    for (const offset of ['0', '1', '2']) paged.push(...(await subjects({ sort, limit: '1', offset })));
    expect(paged).toEqual(sorted);
  });

  test('that are erased leave nothing to search for', async () => {
    const { body } = await post(path(), { subject: 'gone', displayName: 'Gone', email: 'gone@example.com' });
    await controlPlane.api.delete(`/api/v1/management/users/${body.userId}`).set(bearer(tenant.key)).expect(204);
    expect(await subjects({ search: 'gone' })).toEqual([]);
    const row = await controlPlane.prisma.endUser.findUniqueOrThrow({ where: { id: body.userId } });
    expect(JSON.stringify(row)).not.toContain('gone');
  });
});

describe('organizations', () => {
  const register = (companyName: string, email: string) =>
    controlPlane.api
      .post('/api/v1/organizations/registrations')
      .send({ ...newRegistration(), companyName, administrator: { name: 'Ada', email } })
      .expect(201);
  const names = (query: Query, key = operatorKey) => valuesOf('organizations', 'name', query, key);

  beforeAll(async () => {
    for (const [name, email] of [
      ['Zoo 100% GmbH', 'keeper@zoo.example'],
      ['zoo Academy', 'Head@academy.example'],
    ]) {
      later();
      await register(name ?? '', email ?? '');
    }
  });

  test.each<[Query, string[]]>([
    [{ search: 'ZOO' }, ['Zoo 100% GmbH', 'zoo Academy']],
    [{ search: 'zoo  a' }, ['zoo Academy']],
    [{ search: 'zoo 100%' }, ['Zoo 100% GmbH']],
    [{ search: 'zoo%' }, []],
    [{ search: 'head@' }, ['zoo Academy']],
    [{ search: 'zoo', sort: '-createdAt' }, ['zoo Academy', 'Zoo 100% GmbH']],
    [{ search: 'zoo', sort: 'name' }, ['Zoo 100% GmbH', 'zoo Academy']],
    [{ search: 'zoo', sort: '-name' }, ['zoo Academy', 'Zoo 100% GmbH']],
    [{ search: 'zoo', status: 'suspended' }, []],
    [{ search: 'zoo', status: 'active', limit: '1', offset: '1' }, ['zoo Academy']],
  ])('by %j are %j', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  test('are limited to their own for everybody but the operator', async () => {
    expect(await names({ search: 'zoo' }, tenant.key)).toEqual([]);
    expect(await names({ sort: '-name' }, tenant.key)).toHaveLength(1);
  });
});

describe.each<[string, () => string, (name: string) => Promise<unknown>]>([
  [
    'projects',
    () => `organizations/${tenant.organizationId}/projects`,
    (name) => post(`organizations/${tenant.organizationId}/projects`, { name }),
  ],
  ['rights', () => `projects/${tenant.projectId}/rights`, (name) => createRights(controlPlane, tenant, { name })],
  [
    'license profiles',
    () => `projects/${tenant.projectId}/license-profiles`,
    (name) => createLicenseProfile(controlPlane, tenant, name),
  ],
  [
    'API clients',
    () => `projects/${tenant.projectId}/api-clients`,
    (name) => post(`projects/${tenant.projectId}/api-clients`, { name, permissions: ['sessions:read'] }),
  ],
  [
    'management keys',
    () => `organizations/${tenant.organizationId}/management-keys`,
    (name) => post(`organizations/${tenant.organizationId}/management-keys`, { name, role: 'viewer' }),
  ],
])('the list of %s', (_kind, path, create) => {
  const names = (query: Query) => valuesOf(path(), 'name', query);

  beforeAll(async () => {
    for (const name of ['x Beta', 'X alpha', 'x_gamma', 'İSTANBUL ΟΔΟΣ']) {
      later();
      await create(name);
    }
  });

  test.each<[Query, string[]]>([
    [{ search: 'X ' }, ['x Beta', 'X alpha']],
    [{ search: 'x_' }, ['x_gamma']],
    [{ search: 'istanbul οδος' }, ['İSTANBUL ΟΔΟΣ']],
    [{ search: 'x', sort: 'name' }, ['X alpha', 'x Beta', 'x_gamma']],
    [{ search: 'x', sort: '-name' }, ['x_gamma', 'x Beta', 'X alpha']],
    [{ search: 'x', sort: '-createdAt' }, ['x_gamma', 'X alpha', 'x Beta']],
    [{ search: 'beta' }, []],
  ])('by %j is %j', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });
});

test('environments are searched by name and sorted by their last change', async () => {
  const names = (query: Query) => valuesOf(`projects/${tenant.projectId}/environments`, 'name', query);
  expect(await names({ search: 'dev' })).toEqual(['Development']);
  expect(await names({ sort: '-name' })).toEqual(['Production', 'Development']);
  later();
  await controlPlane.api
    .patch(`/api/v1/management/environments/${tenant.development}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send({ settings: { maximumConcurrentStreams: 4 } })
    .expect(200);
  expect(await names({ sort: 'updatedAt' })).toEqual(['Production', 'Development']);
  expect(await names({ sort: '-updatedAt' })).toEqual(['Development', 'Production']);
});

test.each<[string, () => string, string[]]>([
  ['organizations', () => 'organizations', ['updatedAt', 'status']],
  ['projects', () => `organizations/${tenant.organizationId}/projects`, ['title', 'status']],
  ['management keys', () => `organizations/${tenant.organizationId}/management-keys`, ['updatedAt', 'hash']],
  ['environments', () => `projects/${tenant.projectId}/environments`, ['kind']],
  ['rights', () => `projects/${tenant.projectId}/rights`, ['rightsId']],
  ['license profiles', () => `projects/${tenant.projectId}/license-profiles`, ['--name']],
  ['API clients', () => `projects/${tenant.projectId}/api-clients`, ['accessKeyHash']],
  ['content', () => `environments/${tenant.development}/content`, ['titleKey', 'name', '+title', 'Title']],
  ['end users', () => `projects/${tenant.projectId}/users`, ['status', 'attributes']],
])('%s cannot be sorted by other fields, or searched for nothing', async (_kind, path, unsupported) => {
  for (const sort of [...unsupported, '', '-']) {
    expect(Object.keys((await list(path(), { sort }, operatorKey).expect(400)).body.errors)).toEqual(['sort']);
  }
  for (const search of ['', ' ', '\u200b', 'a\u0000', 'x'.repeat(257)]) {
    expect(Object.keys((await list(path(), { search }, operatorKey).expect(400)).body.errors)).toEqual(['search']);
  }
});
