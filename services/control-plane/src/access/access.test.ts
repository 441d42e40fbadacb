import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { AddressGuard } from '@multi-drm/service-kit';
import type { Request, Response } from 'express';
import { createAdmission } from '../admission/create-admission';
import { readSettings } from '../settings';
import { operatorKey, startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { eventually } from '../testing/eventually';
import { recordKinds } from '../testing/record-kinds';
import { recordingLogger } from '../testing/recording-logger';
import {
  bearer,
  createContent,
  createManagementKey,
  createTenant,
  newContent,
  type TestTenant,
} from '../testing/records';
import { Authentication } from './authenticate';
import { authorizeWith } from './authorize';
import { hashOf } from './credentials';
import { createIssuerClient } from './issuer-documents';
import { OidcAuthentication } from './oidc-authentication';
import type { Role } from './permissions';
import { SignInAudit } from './sign-in-audit';

let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
});

const management = '/api/v1/management';
const readProjects = (headers: Record<string, string>) =>
  controlPlane.api.get(`${management}/organizations/${tenant.organizationId}/projects`).set(headers);
const createProject = (key: string) =>
  controlPlane.api
    .post(`${management}/organizations/${tenant.organizationId}/projects`)
    .set(bearer(key))
    .send({ name: 'Cinema' });

describe('a credential', () => {
  const refused = async (headers: Record<string, string>) => {
    const response = await readProjects(headers);
    expect(response.body).toMatchObject({ status: 401, code: 'authentication_required', retryable: false });
    const sent = /^Bearer /.test(headers.Authorization ?? '');
    const challenge = `Bearer realm="control-plane"${sent ? ', error="invalid_token"' : ''}`;
    expect(response.headers['www-authenticate']).toBe(challenge);
  };

  test('is required', () => refused({}));

  test.each([
    ['with another scheme', () => ({ Authorization: `Basic ${tenant.key}` })],
    ['without a scheme', () => ({ Authorization: tenant.key })],
    ['that is empty', () => ({ Authorization: 'Bearer ' })],
    ['with trailing text', () => ({ Authorization: `Bearer ${tenant.key} x` })],
    ['that was never issued', () => bearer(`mk_${randomBytes(32).toString('base64url')}`)],
    ['that is cut short', () => bearer(tenant.key.slice(0, -1))],
    ['that is the stored hash', () => bearer(hashOf(tenant.key))],
    ['that is an operator key with a wrong ending', () => bearer(`${operatorKey}x`)],
  ])('%s is rejected', (_case, headers) => refused(headers()));

  test('is accepted whatever the case of its scheme', async () => {
    await readProjects({ Authorization: `bEARER ${tenant.key}` }).expect(200);
  });

  test('is rejected from the moment it expires', async () => {
    const expiresAt = new Date(controlPlane.clock.now.getTime() + 1_000);
    const key = await createManagementKey(controlPlane, tenant.organizationId, { role: 'owner', expiresAt });
    await readProjects(bearer(key)).expect(200);
    controlPlane.clock.now = expiresAt;
    await refused(bearer(key));
  });

  test('is rejected once it is revoked', async () => {
    const revokedAt = controlPlane.clock.now;
    const key = await createManagementKey(controlPlane, tenant.organizationId, { role: 'owner', revokedAt });
    await refused(bearer(key));
  });

  test('is stored as a hash with its first ten characters', async () => {
    const stored = await controlPlane.prisma.managementKey.findFirstOrThrow({
      where: { organizationId: tenant.organizationId, name: 'Owner key of the registration' },
    });
    expect(tenant.key).toMatch(/^mk_[\w-]{43}$/);
    expect(stored).toMatchObject({ prefix: tenant.key.slice(0, 10), hash: hashOf(tenant.key), role: 'owner' });
    expect(JSON.stringify(stored)).not.toContain(tenant.key);
  });
});

describe('the last use of a key', () => {
  const lastUsedAt = async (key: string) =>
    (await controlPlane.prisma.managementKey.findUniqueOrThrow({ where: { hash: hashOf(key) } })).lastUsedAt;

  test('is recorded at most once a minute', async () => {
    const key = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
    const first = controlPlane.clock.now;
    await readProjects(bearer(key)).expect(200);
    await eventually(async () => expect(await lastUsedAt(key)).toEqual(first));

    controlPlane.clock.now = new Date(first.getTime() + 59_999);
    await readProjects(bearer(key)).expect(200);
    controlPlane.clock.now = new Date(first.getTime() + 60_000);
    await readProjects(bearer(key)).expect(200);
    await eventually(async () => expect(await lastUsedAt(key)).toEqual(controlPlane.clock.now));
  });

  test('fails no request if it cannot be recorded', async () => {
    const key = await createManagementKey(controlPlane, tenant.organizationId, { role: 'viewer' });
    await controlPlane.prisma.$executeRaw`
      ALTER TABLE management_key ADD CONSTRAINT never_used CHECK (name <> 'Key of a test' OR last_used_at IS NULL) NOT VALID`;
    await readProjects(bearer(key)).expect(200);
    await eventually(async () =>
      expect(controlPlane.log).toContainEqual(
        expect.objectContaining({ level: 'warn', message: 'the use of a management key was not recorded' }),
      ),
    );
    await controlPlane.prisma.$executeRaw`ALTER TABLE management_key DROP CONSTRAINT never_used`;
  });
});

describe('a role', () => {
  const contentUrl = () => `${management}/environments/${tenant.development}/content`;
  const requests = {
    'read projects': (key: string) => readProjects(bearer(key)),
    'read an environment': (key: string) =>
      controlPlane.api.get(`${management}/environments/${tenant.development}`).set(bearer(key)),
    'read content': (key: string) => controlPlane.api.get(contentUrl()).set(bearer(key)),
    'create content': (key: string) => controlPlane.api.post(contentUrl()).set(bearer(key)).send(newContent()),
    'publish content': async (key: string) =>
      controlPlane.api
        .post(`${management}/content/${await createContent(controlPlane, tenant)}/publish`)
        .set(bearer(key)),
    'create a project': createProject,
    'change an environment': (key: string) =>
      controlPlane.api
        .patch(`${management}/environments/${tenant.development}`)
        .set(bearer(key))
        .set('If-Match', '*')
        .send({ settings: { sessionLifetimeSeconds: 60 } }),
    'create an API client': (key: string) =>
      controlPlane.api
        .post(`${management}/projects/${tenant.projectId}/api-clients`)
        .set(bearer(key))
        .send({ name: 'Backend', permissions: ['sessions:read'] }),
    'block an end user': async (key: string) =>
      controlPlane.api
        .post(`${management}/users/${await recordKinds.userId.idIn(controlPlane, tenant)}/block`)
        .set(bearer(key)),
    'change an end user': async (key: string) =>
      controlPlane.api
        .patch(`${management}/users/${await recordKinds.userId.idIn(controlPlane, tenant)}`)
        .set(bearer(key))
        .set('If-Match', '*')
        .send({ status: 'blocked' }),
  };
  type Action = keyof typeof requests;
  const read: Action[] = ['read projects', 'read an environment', 'read content'];
  const block: Action[] = ['block an end user'];
  const content: Action[] = ['create content', 'publish content', 'change an end user'];
  const administration: Action[] = ['create a project', 'change an environment', 'create an API client'];
  const allowed: Record<Role, Action[]> = {
    viewer: read,
    support: [...read, ...block],
    editor: [...read, ...block, ...content],
    admin: [...read, ...block, ...content, ...administration],
    owner: [...read, ...block, ...content, ...administration],
  };

  test.each(Object.keys(allowed) as Role[])('%s may do what the role table grants and no more', async (role) => {
    const key = await createManagementKey(controlPlane, tenant.organizationId, { role });
    const may: string[] = [];
    for (const [name, request] of Object.entries(requests)) {
      const { status, body } = await request(key);
      if (status === 200) may.push(name);
      else
        expect(body).toMatchObject({ status: 403, code: 'permission_denied', detail: expect.stringContaining(role) });
    }
    expect(may.sort()).toEqual([...allowed[role]].sort());
  });
});

describe('the operator', () => {
  test('may do everything in every organization', async () => {
    await readProjects(bearer(operatorKey)).expect(200);
    await createProject(operatorKey).expect(200);
  });

  test('gets not_found for a record that does not exist', async () => {
    const response = await controlPlane.api
      .get(`${management}/environments/${randomUUID()}`)
      .set(bearer(operatorKey))
      .expect(404);
    expect(response.body.code).toBe('not_found');
  });
});

test('a suspended organization can be read but not changed; the operator may change it', async () => {
  const { organizationId, key } = await createTenant(controlPlane);
  const url = `${management}/organizations/${organizationId}/projects`;
  await controlPlane.prisma.organization.update({ where: { id: organizationId }, data: { status: 'suspended' } });

  await controlPlane.api.get(url).set(bearer(key)).expect(200);
  const refused = await controlPlane.api.post(url).set(bearer(key)).send({ name: 'Cinema' }).expect(403);
  expect(refused.body).toMatchObject({
    code: 'permission_denied',
    detail: 'The organization is suspended: it can be read but not changed.',
  });
  await controlPlane.api.post(url).set(bearer(operatorKey)).send({ name: 'Cinema' }).expect(200);
});

test('an endpoint whose path lacks the parameter of its scope admits nobody, not even the operator', async () => {
  const database = controlPlane.prisma;
  const logger = recordingLogger([]);
  const now = () => controlPlane.clock.now;
  const authentication = new Authentication({
    database,
    operatorKeys: [{ name: 'operations', hash: hashOf(operatorKey) }],
    oidc: new OidcAuthentication({
      issuers: [],
      client: createIssuerClient({ guard: new AddressGuard() }),
      logger,
      now,
      monotonicNow: () => controlPlane.clock.monotonic,
    }),
    signIns: new SignInAudit({ database, logger, now }),
    logger,
    now,
  });
  const request = {
    get: () => `Bearer ${operatorKey}`,
    params: { projectId: tenant.projectId },
    ip: '203.0.113.8',
  } as unknown as Request;
  const admission = createAdmission(
    readSettings({ DATABASE_URL: 'postgres://unused', REDIS_URL: 'redis://unused' }),
    now,
  );
  const authorize = authorizeWith({ authentication, database, admission });
  const response = Object.assign(new EventEmitter(), { locals: { requestContext: { requestId: 'a-request' } } });
  await expect(
    authorize({ permission: 'content:read', scope: 'environment' }, request, response as unknown as Response),
  ).rejects.toThrow('the path has no parameter environmentId');
});

test.each(['4711', 'urn:uuid:5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77', '%00', "'--"])(
  'the path id %s, which is not a UUID, is a validation error that names it',
  async (id) => {
    const response = await controlPlane.api.get(`${management}/environments/${id}`).set(bearer(tenant.key)).expect(400);
    expect(response.body.errors).toEqual({ environmentId: ['must be a UUID'] });
  },
);

test('a path id in upper case names the same record', async () => {
  await controlPlane.api
    .get(`${management}/environments/${tenant.development.toUpperCase()}`)
    .set(bearer(tenant.key))
    .expect(200);
});
