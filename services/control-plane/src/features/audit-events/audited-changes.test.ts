import { randomUUID } from 'node:crypto';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { createLicenseProfile, createRights } from '../../testing/license-records';
import { bearer, createContent, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

type Method = 'post' | 'put' | 'patch' | 'delete';
const send = (method: Method, path: string, body?: object) =>
  controlPlane.api[method](`/api/v1/management/${path}`)
    .set({ ...bearer(tenant.key), 'If-Match': '*' })
    .send(body);
const create = async (path: string, body: object) => (await send('post', path, body).expect(200)).body;
/** The newest event of a record, in its API form. */
async function newestOf(recordId: string) {
  const { body } = await controlPlane.api
    .get(`/api/v1/management/organizations/${tenant.organizationId}/audit-events`)
    .query({ recordId, limit: 200 })
    .set(bearer(tenant.key))
    .expect(200);
  return body.items.reduce((newest: { occurredAt: string }, event: { occurredAt: string }) =>
    event.occurredAt > newest.occurredAt ? event : newest,
  );
}
/** Makes a change after all others, and returns its event. */
async function changed(recordId: string, change: () => PromiseLike<{ status: number }>) {
  controlPlane.clock.now = new Date(controlPlane.clock.now.getTime() + 1);
  expect([200, 204]).toContain((await change()).status);
  return newestOf(recordId);
}

/** Each kind of record with a change of it, and the values in the event. */
const changes: Record<string, () => Promise<{ id: string; change: [Method, string, object?]; values: object }>> = {
  organization: async () => ({
    id: tenant.organizationId,
    change: ['patch', `organizations/${tenant.organizationId}`, { website: 'https://example.com/' }],
    values: { before: { website: null }, after: { website: 'https://example.com/' } },
  }),
  project: async () => ({
    id: tenant.projectId,
    change: ['patch', `projects/${tenant.projectId}`, { name: 'Cinema' }],
    values: { before: { name: 'Academy' }, after: { name: 'Cinema' } },
  }),
  'environment settings': async () => ({
    id: tenant.development,
    change: ['patch', `environments/${tenant.development}`, { settings: { maximumConcurrentStreams: 7 } }],
    values: {
      before: { settings: { maximumConcurrentStreams: 3 } },
      after: { settings: { maximumConcurrentStreams: 7 } },
    },
  }),
  rights: async () => {
    const id = await createRights(controlPlane, tenant);
    const values = { before: { atStreamLimit: 'reject' }, after: { atStreamLimit: 'evict-oldest' } };
    return { id, change: ['patch', `rights/${id}`, values.after], values };
  },
  'license profile': async () => {
    const id = await createLicenseProfile(controlPlane, tenant, randomUUID());
    const values = { before: { maximumHeight: 1080 }, after: { maximumHeight: 720 } };
    return { id, change: ['patch', `license-profiles/${id}`, values.after], values };
  },
  content: async () => {
    const id = await createContent(controlPlane, tenant);
    return {
      id,
      change: ['post', `content/${id}/publish`],
      values: { before: { status: 'draft' }, after: { status: 'published' } },
    };
  },
  'archived content': async () => {
    const id = await createContent(controlPlane, tenant);
    return {
      id,
      change: ['delete', `content/${id}`],
      values: { before: { status: 'draft' }, after: { status: 'archived' } },
    };
  },
  'API client': async () => {
    const body = { name: 'Backend', permissions: ['sessions:read'] };
    const { apiClientId: id } = await create(`projects/${tenant.projectId}/api-clients`, body);
    const values = {
      before: { permissions: ['sessions:read'], environmentIds: null },
      after: { permissions: ['sessions:release'], environmentIds: [tenant.production] },
    };
    return { id, change: ['patch', `api-clients/${id}`, values.after], values };
  },
  'webhook endpoint': async () => {
    const body = { url: 'https://hooks.example.com/', types: ['session.*'], secretHeaders: { 'X-Key': randomUUID() } };
    const { webhookEndpointId: id } = await create(`projects/${tenant.projectId}/webhook-endpoints`, body);
    const values = { before: { types: ['session.*'] }, after: { types: ['license.refused'] } };
    return { id, change: ['patch', `webhook-endpoints/${id}`, values.after], values };
  },
  'removed webhook endpoint': async () => {
    const body = { url: 'https://hooks.example.com/', types: ['*'], secretHeaders: { 'X-Key': randomUUID() } };
    const { webhookEndpointId: id } = await create(`projects/${tenant.projectId}/webhook-endpoints`, body);
    return {
      id,
      change: ['delete', `webhook-endpoints/${id}`],
      values: {
        before: { enabled: true, removedAt: null, secretHeaderNames: ['x-key'] },
        after: { enabled: false, removedAt: expect.any(String), secretHeaderNames: [] },
      },
    };
  },
  'management key': async () => {
    const body = { name: 'Reports', role: 'viewer' };
    const { keyId: id } = await create(`organizations/${tenant.organizationId}/management-keys`, body);
    return {
      id,
      change: ['delete', `management-keys/${id}`],
      values: { before: { status: 'active' }, after: { status: 'revoked' } },
    };
  },
};

test.each(Object.entries(changes))('a change of %s records the old and the new values', async (_kind, prepare) => {
  const { id, change, values } = await prepare();
  expect(await changed(id, () => send(...change))).toMatchObject({ recordId: id });
  const { before, after } = await newestOf(id);
  expect({ before, after }).toEqual(values);
});

test('settings of a DRM system are recorded without secrets', async () => {
  const path = `environments/${tenant.production}/drm-systems/widevine`;
  const secret = `secret-${randomUUID()}`;
  const backend = {
    type: 'http',
    url: 'https://license.example.com/',
    responseFormat: 'raw',
    headers: { 'X-Tenant': 'academy' },
  };
  const body = { enabled: true, backend: { ...backend, secretHeaders: { 'X-Key': secret } } };
  const recordId = `${tenant.production}/widevine`;
  expect(await changed(recordId, () => send('put', path, body))).toMatchObject({
    details: { changedSecrets: ['secretHeaders'] },
    before: { enabled: false, backend: null },
    after: { enabled: true, backend },
  });
  const again = { ...body, backend: { ...backend, secretHeaders: { 'X-Key': `${secret}-2` } } };
  expect(await changed(recordId, () => send('put', path, again))).toMatchObject({
    details: { fields: ['enabled', 'backend'], changedSecrets: ['secretHeaders'] },
    before: {},
    after: {},
  });
  const { details } = await changed(recordId, () => send('put', path, again));
  expect(details).toEqual({ fields: ['enabled', 'backend'] });
  expect(await changed(recordId, () => send('put', path, { enabled: true, backend }))).toMatchObject({
    details: { changedSecrets: ['secretHeaders'] },
  });
  expect(JSON.stringify(await controlPlane.prisma.auditEvent.findMany())).not.toContain(secret);
});

test('content keys, hashes and credentials are not recorded', async () => {
  const key = randomUUID().replaceAll('-', '');
  const keys = [{ keyId: randomUUID(), trackTypes: ['SD'], key }];
  const contentAssetId = await createContent(controlPlane, tenant, { keys: keys as never });
  const { before, after } = await newestOf(contentAssetId);
  expect(before).toBeNull();
  expect(after.keys).toEqual([{ keyId: keys[0]?.keyId, trackTypes: ['SD'] }]);
  const client = await create(`projects/${tenant.projectId}/api-clients`, {
    name: 'B',
    permissions: ['sessions:read'],
  });
  const made = await create(`organizations/${tenant.organizationId}/management-keys`, { name: 'R', role: 'viewer' });
  const rows = JSON.stringify(await controlPlane.prisma.auditEvent.findMany());
  const { accessKeyHash } = await controlPlane.prisma.apiClient.findUniqueOrThrow({
    where: { id: client.apiClientId },
  });
  const { hash } = await controlPlane.prisma.managementKey.findUniqueOrThrow({ where: { id: made.keyId } });
  for (const secret of [key, client.accessKey, made.key, accessKeyHash, hash]) expect(rows).not.toContain(secret);
});

test('of end users, the values of status and stream limit are recorded, and of other fields only the names', async () => {
  const body = { subject: 'viewer-of-the-trail', displayName: 'Grace Hopper', email: 'grace@example.com' };
  const { userId } = await create(`projects/${tenant.projectId}/users`, body);
  expect(await newestOf(userId)).toMatchObject({
    action: 'endUser.create',
    before: null,
    after: { status: 'active', maximumConcurrentStreams: null },
  });
  const blocked = await changed(userId, () =>
    send('patch', `users/${userId}`, { displayName: 'Ada', status: 'blocked' }),
  );
  expect(blocked).toMatchObject({ action: 'endUser.update', details: { fields: ['displayName', 'status'] } });
  expect([blocked.before, blocked.after]).toEqual([{ status: 'active' }, { status: 'blocked' }]);
  const synchronized = await changed(userId, () =>
    send('post', `projects/${tenant.projectId}/users`, { ...body, status: 'active', maximumConcurrentStreams: 2 }),
  );
  expect([synchronized.before, synchronized.after]).toEqual([
    { status: 'blocked', maximumConcurrentStreams: null },
    { status: 'active', maximumConcurrentStreams: 2 },
  ]);
  const renamed = await changed(userId, () =>
    send('patch', `users/${userId}`, { displayName: 'Eve', attributes: { a: 'Ada' } }),
  );
  expect([renamed.before, renamed.after]).toEqual([{}, {}]);
  const erased = await changed(userId, () => send('delete', `users/${userId}`));
  expect([erased.before, erased.after]).toEqual([{ status: 'active' }, { status: 'archived' }]);
  const rows = JSON.stringify(await controlPlane.prisma.auditEvent.findMany({ where: { recordId: userId } }));
  for (const personal of [...Object.values(body), 'Ada', 'Eve']) expect(rows).not.toContain(personal);
});

test('archiving a project records an event for it and each of its environments', async () => {
  const { projectId, environments } = await create(`organizations/${tenant.organizationId}/projects`, { name: 'Gone' });
  const values = { before: { status: 'active' }, after: { status: 'archived' } };
  expect(await changed(projectId, () => send('delete', `projects/${projectId}`))).toMatchObject(values);
  for (const { environmentId } of environments) {
    const { action, before, after } = await newestOf(environmentId);
    expect({ action, before, after }).toEqual({ action: 'environment.archive', ...values });
  }
});

test('a change that is rejected in its transaction leaves no values', async () => {
  const { total } = (await newestPage()).body;
  await send('patch', `environments/${tenant.development}`, {
    settings: { defaultLicensePolicyTemplate: 'no-such-template' },
  }).expect(400);
  expect((await newestPage()).body.total).toBe(total);
});

const newestPage = () =>
  controlPlane.api
    .get(`/api/v1/management/organizations/${tenant.organizationId}/audit-events?limit=1`)
    .set(bearer(tenant.key));
