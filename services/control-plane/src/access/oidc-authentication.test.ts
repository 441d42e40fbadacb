import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { oidcAudience as audience, OidcIssuer } from '../testing/oidc-issuer';
import { bearer, createTenant, type TestTenant } from '../testing/records';

const issuer = new OidcIssuer();
let controlPlane: TestControlPlane;
let tenant: TestTenant;

beforeAll(async () => {
  await issuer.start();
  const first = await startControlPlane();
  tenant = await createTenant(first);
  controlPlane = await startControlPlane({
    databaseUrl: first.databaseUrl,
    environment: {
      OIDC_ISSUERS: JSON.stringify([
        {
          issuer: issuer.url,
          audience,
          organizations: [{ organizationId: tenant.organizationId, maximumRole: 'admin' }],
        },
      ]),
    },
  });
});
afterAll(() => issuer.stop());

const claims = (changes: JWTPayload = {}): JWTPayload => ({
  sub: 'ada',
  name: 'Ada Admin',
  organization_id: tenant.organizationId,
  role: 'admin',
  exp: Math.floor(controlPlane.clock.now.getTime() / 1000) + 300,
  ...changes,
});
const without = (claim: keyof JWTPayload): JWTPayload => {
  const { [claim]: _left, ...rest } = claims();
  return rest;
};
const readProjects = (token: string) =>
  controlPlane.api.get(`/api/v1/management/organizations/${tenant.organizationId}/projects`).set(bearer(token));
const createProject = (token: string) =>
  controlPlane.api
    .post(`/api/v1/management/organizations/${tenant.organizationId}/projects`)
    .set(bearer(token))
    .send({ name: 'Cinema' });

test('a person signs in with a token of a configured issuer, with the permissions of its role', async () => {
  await createProject(await issuer.token(claims())).expect(200);
  await readProjects(await issuer.token(claims({ role: 'viewer' }))).expect(200);
  await createProject(await issuer.token(claims({ role: 'viewer' }))).expect(403);
});

describe('an issuer that uses its own role names', () => {
  let mapped: TestControlPlane;
  beforeAll(async () => {
    const own = {
      organizationClaim: 'https://idp.example.com/organization',
      roleClaim: 'realm_access.roles',
      roles: { 'drm-admin': 'admin', 'drm-head': 'admin', 'drm-viewer': 'viewer', 'drm-owner': 'owner' },
    };
    mapped = await startControlPlane({
      databaseUrl: controlPlane.databaseUrl,
      environment: {
        OIDC_ISSUERS: JSON.stringify([
          {
            issuer: issuer.url,
            audience,
            ...own,
            organizations: [{ organizationId: tenant.organizationId, maximumRole: 'admin' }],
          },
        ]),
      },
    });
  });

  async function create(roles: unknown, organization: unknown = tenant.organizationId): Promise<number> {
    const own = { 'https://idp.example.com/organization': organization, realm_access: { roles } };
    const token = await issuer.token({ ...without('role'), ...own });
    const { status } = await mapped.api
      .post(`/api/v1/management/organizations/${tenant.organizationId}/projects`)
      .set(bearer(token))
      .send({ name: 'Cinema' });
    return status;
  }

  test.each<[string, unknown, number]>([
    ['one mapped role among others', ['offline_access', 'drm-admin', 'uma_authorization'], 200],
    ['a single mapped role', 'drm-admin', 200],
    ['two values that map to one role', ['drm-admin', 'drm-head'], 200],
    ['a role that may not write', ['drm-viewer'], 403],
    ['two mapped roles', ['drm-admin', 'drm-viewer'], 401],
    ['a mapped role above the highest allowed', ['drm-owner'], 401],
    ['no mapped role', ['offline_access'], 401],
    ["a role's own name, which is not mapped", ['admin'], 401],
    ['the name of a property of every object', ['constructor'], 401],
    ['an empty list', [], 401],
    ['a value that is not a string', [{ 'drm-admin': true }, 1, null], 401],
  ])('%s', async (_what, roles, status) => {
    expect(await create(roles)).toBe(status);
  });

  test.each<[what: string, roles: unknown, organization: unknown, reason: string]>([
    [
      'two mapped roles',
      ['drm-admin', 'drm-viewer', 'offline_access'],
      undefined,
      'realm_access.roles has several roles, admin and viewer',
    ],
    ['no mapped role', ['offline_access'], undefined, 'realm_access.roles has no value that is a role'],
    [
      'a role above the highest allowed',
      ['drm-owner'],
      undefined,
      'realm_access.roles has the role owner, above admin, the highest that is allowed',
    ],
    [
      'two organizations',
      ['drm-admin'],
      ['one', 'two'],
      'https://idp.example.com/organization has several organizations',
    ],
    ['no organization', ['drm-admin'], null, 'https://idp.example.com/organization has no organization'],
    [
      'an organization of others',
      ['drm-admin'],
      randomUUID(),
      'https://idp.example.com/organization has an organization that the issuer may not assert',
    ],
  ])('the log names the person and the claim with %s', async (_what, roles, organization, reason) => {
    mapped.log.length = 0;
    expect(await create(roles, organization)).toBe(401);
    expect(mapped.log.filter(({ message }) => message === 'a token was rejected').map(({ fields }) => fields)).toEqual([
      {
        issuer: issuer.url,
        reason: `the claims must name exactly one organization and one role: of ${claims().sub}, ${reason}`,
      },
    ]);
  });

  test('may assert a single organization in a list, but no second one', async () => {
    expect(await create(['drm-admin'], [tenant.organizationId])).toBe(200);
    expect(await create(['drm-admin'], [tenant.organizationId, randomUUID()])).toBe(401);
  });
});

test('new keys after a rotation are picked up, and the old ones are rejected', async () => {
  const old = await issuer.token(claims());
  await readProjects(old).expect(200);
  await issuer.stop();
  await issuer.start();
  controlPlane.clock.monotonic += 5_000;
  await readProjects(await issuer.token(claims())).expect(200);
  await readProjects(old).expect(401);
});

test.each<[string, () => Promise<string>]>([
  ['another issuer', () => issuer.token(claims(), { issuer: 'https://elsewhere.example.com' })],
  ['another audience', () => issuer.token(claims(), { audience: 'urn:another-service' })],
  ['no expiry', () => issuer.token(without('exp'))],
  [
    'an expiry in the past',
    () => issuer.token(claims({ exp: Math.floor(controlPlane.clock.now.getTime() / 1000) - 31 })),
  ],
  ['no subject', () => issuer.token(without('sub'))],
  ['a subject of more than 255 characters', () => issuer.token(claims({ sub: 'a'.repeat(256) }))],
  ['an organization that the issuer may not assert', () => issuer.token(claims({ organization_id: randomUUID() }))],
  ['a role above the highest that the issuer may assert', () => issuer.token(claims({ role: 'owner' }))],
  ['the role of the operator', () => issuer.token(claims({ role: 'operator' }))],
])('a token with %s is rejected', async (_case, make) => {
  const { body } = await readProjects(await make()).expect(401);
  expect(body.code).toBe('authentication_required');
});

test('the log says whether a token was rejected because of its form or its claims', async () => {
  const reasons = () =>
    controlPlane.log.filter(({ message }) => message === 'a token was rejected').map(({ fields }) => fields);
  controlPlane.log.length = 0;
  await readProjects(await issuer.token(claims(), { audience: 'urn:another-service' })).expect(401);
  await readProjects(await issuer.token(claims(), { issuer: `${issuer.url}/` })).expect(401);
  await readProjects(await issuer.token(claims({ role: 'owner' }))).expect(401);
  expect(reasons()).toEqual([
    { issuer: issuer.url, reason: `unexpected "aud" claim value, not ${audience}` },
    { issuer: `${issuer.url}/`, reason: 'no entry of OIDC_ISSUERS has exactly this issuer' },
    {
      issuer: issuer.url,
      reason: expect.stringMatching(/^the claims must name exactly one organization and one role/),
    },
  ]);
});

test('an unreachable issuer does not make a token invalid', async () => {
  const fresh = await startControlPlane({
    environment: {
      OIDC_ISSUERS: JSON.stringify([
        {
          issuer: 'http://127.0.0.1:1',
          audience,
          organizations: [{ organizationId: tenant.organizationId, maximumRole: 'admin' }],
        },
      ]),
    },
  });
  const { body, headers } = await fresh.api
    .get(`/api/v1/management/organizations/${tenant.organizationId}/projects`)
    .set(bearer(await issuer.token(claims(), { issuer: 'http://127.0.0.1:1' })))
    .expect(503);
  expect(body).toMatchObject({ code: 'service_unavailable', retryable: true });
  expect(headers['retry-after']).toBe('5');
});
