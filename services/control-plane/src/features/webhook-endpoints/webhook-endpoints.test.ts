import { randomUUID } from 'node:crypto';
import { Secrets } from '@multi-drm/service-kit';
import { secretHeadersOf } from '../../stores/webhook-endpoints';
import { auditedActions } from '../../testing/audit-trail';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../../testing/records';
import { openEndpoint } from '../../webhooks/open-endpoint';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  // The host of a license server that the operator allows, which no webhook may use.
  controlPlane = await startControlPlane({
    environment: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1,licenses.internal,10.1.0.0/16' },
  });
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});

const url = 'https://hooks.example.com/events';
const management = '/api/v1/management';
const send = (
  method: 'post' | 'patch' | 'delete',
  path: string,
  body?: object,
  headers: object = { 'If-Match': '*' },
) =>
  controlPlane.api[method](`${management}/${path}`)
    .set({ ...bearer(tenant.key), ...headers })
    .send(body);
const list = () => `projects/${tenant.projectId}/webhook-endpoints`;
const create = (changes: object = {}) => send('post', list(), { url, types: ['*'], ...changes }, {});
const created = async (changes: object = {}) => (await create(changes).expect(200)).body;
const idOf = async (changes: object = {}): Promise<string> => (await created(changes)).webhookEndpointId;
const read = async (path: string) =>
  (await controlPlane.api.get(`${management}/${path}`).set(bearer(tenant.key)).expect(200)).body;

/** What is sent with deliveries, in the clear. */
async function opened(id: string) {
  const row = await controlPlane.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
  const secrets = new Secrets([{ id: 'tests', key: Buffer.alloc(32, 7) }]);
  return openEndpoint(secrets, { ...row, secretHeaders: secretHeadersOf(row) });
}

test('an endpoint is created with a secret that is shown once', async () => {
  const body = await created({ types: ['session.*', 'license.refused'], maximumPerSecond: 5, description: 'Reports' });
  const { secret, ...shown } = body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toMatchObject({ url, types: ['session.*', 'license.refused'], environmentIds: null, enabled: true });
  const path = `webhook-endpoints/${shown.webhookEndpointId}`;
  expect([await read(path), await read(list())]).toEqual([shown, [shown]]);
  expect((await opened(shown.webhookEndpointId)).secrets).toEqual([secret]);
  const changed = await send('patch', path, { enabled: false }).expect(200);
  expect(changed.body).not.toHaveProperty('secret');
});

test('values of secret headers are sent, and never returned', async () => {
  const value = `Bearer ${randomUUID()}`;
  const { secret: _, ...shown } = await created({ secretHeaders: { 'X-Tenant': 'academy', Authorization: value } });
  expect(shown.secretHeaderNames).toEqual(['authorization', 'x-tenant']);
  const id = shown.webhookEndpointId;
  expect((await opened(id)).headers).toEqual({ authorization: value, 'x-tenant': 'academy' });
  const { body } = await send('patch', `webhook-endpoints/${id}`, { secretHeaders: { 'X-Key': value } }).expect(200);
  expect(body.secretHeaderNames).toEqual(['x-key']);
  expect((await opened(id)).headers).toEqual({ 'x-key': value });
  const trail = await controlPlane.prisma.auditEvent.findMany({ where: { recordId: id } });
  expect(trail.map(({ action }) => action)).toEqual(['webhookEndpoint.create', 'webhookEndpoint.update']);
  expect(JSON.stringify([shown, body, trail])).not.toContain(value);
});

test('a repeated create gets the same endpoint without its secret', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await send('post', list(), { url, types: ['*'] }, headers).expect(200);
  const again = await send('post', list(), { url, types: ['*'] }, headers).expect(200);
  const { secret: _, ...shown } = first.body;
  expect(again.body).toEqual(shown);
  await send('post', list(), { url, types: ['session.*'] }, headers).expect(422);
});

test.each([
  ['an unknown type', { types: ['session.paused'] }, { 'types[0]': expect.anything() }],
  ['an unknown group', { types: ['viewer.*'] }, { 'types[0]': expect.anything() }],
  ['no type', { types: [] }, { types: expect.anything() }],
  [
    'a header of the connection',
    { secretHeaders: { Host: 'a' } },
    { 'secretHeaders.Host': ['belongs to the connection and cannot be configured'] },
  ],
  [
    'a reserved header',
    { secretHeaders: { 'Webhook-Signature': 'v1,a' } },
    { 'secretHeaders.Webhook-Signature': ['is a header of every event and cannot be configured'] },
  ],
  [
    'the type of the body',
    { secretHeaders: { 'content-type': 'text/plain' } },
    { 'secretHeaders.content-type': ['is a header of every event and cannot be configured'] },
  ],
  ['a header twice', { secretHeaders: { 'X-Key': 'a', 'x-key': 'b' } }, { 'secretHeaders.x-key': ['is given twice'] }],
  [
    'a value with a line break',
    { secretHeaders: { 'X-Key': 'a\r\nHost: b' } },
    { 'secretHeaders.X-Key': expect.anything() },
  ],
  ['0 events a second', { maximumPerSecond: 0 }, { maximumPerSecond: expect.anything() }],
])('%s is rejected by name', async (_case, changes, errors) => {
  expect((await create(changes).expect(400)).body.errors).toEqual(errors);
});

test.each([
  'http://hooks.example.com/',
  'https://127.0.0.2/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://10.1.2.3/', // allowed for license servers
  'http://licenses.internal/',
  'https://user:password@hooks.example.com/',
  'ftp://hooks.example.com/',
])('the URL %s is rejected, at registration and at a change', async (address) => {
  expect(Object.keys((await create({ url: address }).expect(400)).body.errors)).toEqual(['url']);
  const { body } = await send('patch', `webhook-endpoints/${await idOf()}`, { url: address }).expect(400);
  expect(Object.keys(body.errors)).toEqual(['url']);
});

test('http is allowed for the hosts of WEBHOOK_ALLOWED_HOSTS', async () => {
  expect((await created({ url: 'http://127.0.0.1:4000/' })).url).toBe('http://127.0.0.1:4000/');
});

test('environments must be those of the project, and one that was archived may stay', async () => {
  const other = await createTenant(controlPlane);
  const errors = { 'environmentIds[1]': ['must be an environment of the project'] };
  const environmentIds = [tenant.production, other.production];
  expect((await create({ environmentIds }).expect(400)).body.errors).toEqual(errors);
  const id = await idOf({ environmentIds: [tenant.production.toUpperCase()] });
  expect((await read(`webhook-endpoints/${id}`)).environmentIds).toEqual([tenant.production]);
  const path = `webhook-endpoints/${id}`;
  expect((await send('patch', path, { environmentIds }).expect(400)).body.errors).toEqual(errors);
  await send('delete', `environments/${tenant.production}`).expect(204);
  await send('patch', path, { environmentIds: [tenant.production, tenant.development] }).expect(200);
  expect((await send('patch', path, { environmentIds: null }).expect(200)).body.environmentIds).toBeNull();
});

test('a project has 20 endpoints at most, also if they are created at the same time, and a removed one makes room', async () => {
  const first = await idOf();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual([
    [409, 'The project has 20 webhook endpoints, which is the most it may have.'],
  ]);
  await send('delete', `webhook-endpoints/${first}`).expect(204);
  await create().expect(200);
  expect(await read(list())).toHaveLength(20);
});

test('of two concurrent rotations, one succeeds, and the other is told until when the earlier secret is valid', async () => {
  const { webhookEndpointId: id, secret } = await created();
  const rotate = (body?: object) => send('post', `webhook-endpoints/${id}/rotate`, body, {});
  const answers = await Promise.all([rotate(), rotate()]);
  const [done] = answers.filter(({ status }) => status === 200);
  const [refused] = answers.filter(({ status }) => status === 409);
  expect(done?.body.previousSecretExpiresAt).toBe('2026-03-02T10:00:00.000Z');
  expect(refused?.body.detail).toContain('until 2026-03-02T10:00:00.000Z');
  expect((await opened(id)).secrets).toEqual([done?.body.secret, secret]);
  const { body } = await rotate({ overlapSeconds: 0 }).expect(200);
  expect(body.previousSecretExpiresAt).toBeNull();
  expect((await opened(id)).secrets).toEqual([body.secret]);
  const rotations = ['webhookEndpoint.rotate', 'webhookEndpoint.rotate'];
  expect(await auditedActions(controlPlane, id)).toEqual(['webhookEndpoint.create', ...rotations]);
});

test('a removed endpoint can be read and not changed, has no secrets, and is not listed', async () => {
  const id = await idOf({ secretHeaders: { 'X-Key': randomUUID() } });
  const path = `webhook-endpoints/${id}`;
  await send('post', `${path}/rotate`).expect(200);
  await send('delete', path).expect(204);
  await send('delete', path).expect(204);
  expect(await read(path)).toMatchObject({
    enabled: false,
    removedAt: '2026-03-01T10:00:00.000Z',
    secretHeaderNames: [],
  });
  expect(await read(list())).toEqual([]);
  const row = await controlPlane.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
  expect(row).toMatchObject({ secret: '', previousSecret: null, secretHeaders: {} });
  const detail = 'The webhook endpoint is removed.';
  const refused = { status: 409, code: 'conflict', detail };
  expect((await send('patch', path, { enabled: true })).body).toMatchObject(refused);
  expect((await send('post', `${path}/rotate`)).body).toMatchObject(refused);
  expect((await send('post', `${path}/test`)).body).toMatchObject(refused);
  expect((await send('post', `${path}/replay`, { from: '2026-02-28T00:00:00Z' })).body).toMatchObject(refused);
});

test('an endpoint of an archived project can be removed, and not changed', async () => {
  const path = `webhook-endpoints/${await idOf()}`;
  await send('delete', `projects/${tenant.projectId}`).expect(204);
  const detail = 'The project is archived: it can be read but not changed.';
  expect((await send('patch', path, { enabled: false })).body).toMatchObject({ status: 409, detail });
  await send('delete', path).expect(204);
});

test('an endpoint that failed is enabled again with no trace of it, and one that is only changed stays disabled', async () => {
  const id = await idOf();
  const failed = { enabled: false, disabledReason: 'failing' as const, disabledAt: controlPlane.clock.now };
  const data = { ...failed, failingSince: controlPlane.clock.now };
  await controlPlane.prisma.webhookEndpoint.update({ where: { id }, data });
  const path = `webhook-endpoints/${id}`;
  const { body: changed } = await send('patch', path, { description: 'Reports' }).expect(200);
  expect(changed).toMatchObject({ enabled: false, disabledReason: 'failing', failingSince: expect.any(String) });
  const { body } = await send('patch', path, { enabled: true }).expect(200);
  expect(body).toMatchObject({ enabled: true, disabledReason: null, disabledAt: null, failingSince: null });
});

test('without SECRET_KEYS, no endpoint can be created', async () => {
  const { databaseUrl } = controlPlane;
  const { api } = await startControlPlane({ databaseUrl, environment: { SECRET_KEYS: '' } });
  const { body } = await api
    .post(`${management}/${list()}`)
    .set(bearer(tenant.key))
    .send({ url, types: ['*'] })
    .expect(503);
  expect(body.code).toBe('service_unavailable');
});
