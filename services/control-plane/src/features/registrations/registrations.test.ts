import { randomUUID } from 'node:crypto';
import { operatorKey, startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, newRegistration } from '../../testing/records';

let controlPlane: TestControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane();
});

const register = (body: object, { api } = controlPlane) => api.post('/api/v1/organizations/registrations').send(body);

test('a registration returns the organization, the accepted agreement and a key that works at once', async () => {
  const registration = newRegistration();
  const { body } = await register(registration).expect(201);
  expect(body).toEqual({
    organizationId: expect.any(String),
    companyName: registration.companyName,
    planId: 'developer',
    status: 'active',
    agreement: { version: '2026-01', acceptedAt: '2026-03-01T10:00:00.000Z' },
    managementKey: { keyId: expect.any(String), key: expect.stringMatching(/^mk_[\w-]{43}$/), role: 'owner' },
    createdAt: '2026-03-01T10:00:00.000Z',
  });
  await controlPlane.api
    .get(`/api/v1/management/organizations/${body.organizationId}/projects`)
    .set(bearer(body.managementKey.key))
    .expect(200, []);
});

test('a registration stores what the company sent', async () => {
  const registration = {
    ...newRegistration(),
    planId: 'business',
    website: 'https://example.com/',
    registrationNumber: 'HRB 4711',
  };
  const { body } = await register(registration).expect(201);
  expect(body.planId).toBe('business');
  expect(await controlPlane.prisma.organization.findUnique({ where: { id: body.organizationId } })).toMatchObject({
    companyName: registration.companyName,
    country: 'DE',
    website: 'https://example.com/',
    registrationNumber: 'HRB 4711',
    administratorName: 'Ada Admin',
    administratorEmail: registration.administrator.email,
    agreementVersion: '2026-01',
    status: 'active',
  });
});

test('a registration adds an outbox entry for its organization and wakes the publisher', async () => {
  const wakes = controlPlane.wakes();
  const { body } = await register(newRegistration()).expect(201);
  expect(await controlPlane.prisma.outboxEntry.findMany({ where: { documentId: body.organizationId } })).toMatchObject([
    { documentKind: 'organization' },
  ]);
  expect(controlPlane.wakes()).toBe(wakes + 1);
});

test('an outdated agreement version is rejected by name, with the URL of the current one', async () => {
  const another = await startControlPlane({
    environment: {
      SERVICE_AGREEMENT_VERSION: '2027-01',
      SERVICE_AGREEMENT_URL: 'https://drm.example.com/agreement',
    },
  });
  const { body } = await register(newRegistration(), another).expect(400);
  expect(body).toMatchObject({
    code: 'invalid_request',
    errors: {
      'agreement.version': ['must be the current version, 2027-01, available at https://drm.example.com/agreement'],
    },
  });
});

test('an agreement that is not accepted is rejected by name', async () => {
  const { body } = await register({
    ...newRegistration(),
    agreement: { version: '2026-01', accepted: false },
  }).expect(400);
  expect(Object.keys(body.errors)).toEqual(['agreement.accepted']);
});

describe('a company that is already registered', () => {
  const conflictOf = async (changes: (registered: ReturnType<typeof newRegistration>) => object) => {
    const registered = newRegistration();
    await register(registered).expect(201);
    const { body } = await register({ ...newRegistration(), ...changes(registered) }).expect(409);
    return { code: body.code, detail: body.detail, errors: body.errors };
  };

  test('is rejected for its name and country, or its administrator, with the same message', async () => {
    const byName = await conflictOf(({ companyName }) => ({ companyName }));
    const byAdministrator = await conflictOf(({ administrator }) => ({ administrator }));
    expect(byName).toMatchObject({ code: 'conflict', errors: undefined });
    expect(byAdministrator).toEqual(byName);
  });

  test('is recognised whatever the case and spaces of its name', async () => {
    await conflictOf(({ companyName }) => ({ companyName: `  ${companyName.toUpperCase().replace(' ', '   ')} ` }));
  });

  test('is recognised whatever the case of the e-mail address', async () => {
    await conflictOf(({ administrator }) => ({
      administrator: { ...administrator, email: administrator.email.toUpperCase() },
    }));
  });

  test('is recognised whatever the form of the e-mail address, which is kept as given', async () => {
    const name = `josé-${randomUUID()}`;
    const registered = { ...newRegistration(), administrator: { name: 'José', email: `${name}@пошта.укр` } };
    const { body } = await register(registered).expect(201);
    const read = await controlPlane.api
      .get(`/api/v1/management/organizations/${body.organizationId}`)
      .set(bearer(body.managementKey.key))
      .expect(200);
    expect(read.body.administrator.email).toBe(`${name}@пошта.укр`);
    for (const email of [`${name.normalize('NFD')}@ПОШТА.УКР`, `${name}@xn--80a1acn3a.xn--j1amh`]) {
      await register({ ...newRegistration(), administrator: { name: 'José', email } }).expect(409);
      const found = await controlPlane.api
        .get('/api/v1/management/organizations')
        .query({ search: email })
        .set(bearer(operatorKey))
        .expect(200);
      expect(found.body.items).toMatchObject([{ organizationId: body.organizationId }]);
    }
  });

  test('is found by a name that looks like an address', async () => {
    const companyName = `${randomUUID()}@Bücher`;
    const { body } = await register({ ...newRegistration(), companyName }).expect(201);
    const found = await controlPlane.api
      .get('/api/v1/management/organizations')
      .query({ search: companyName.toUpperCase() })
      .set(bearer(operatorKey))
      .expect(200);
    expect(found.body.items).toMatchObject([{ organizationId: body.organizationId }]);
  });

  test('may register in another country with another administrator', async () => {
    const registered = newRegistration();
    await register(registered).expect(201);
    await register({ ...newRegistration(), companyName: registered.companyName, country: 'AT' }).expect(201);
  });

  test('leaves nothing behind when it is rejected', async () => {
    const registered = newRegistration();
    await register(registered).expect(201);
    const counts = () =>
      Promise.all([
        controlPlane.prisma.organization.count(),
        controlPlane.prisma.managementKey.count(),
        controlPlane.prisma.outboxEntry.count(),
        controlPlane.wakes(),
      ]);
    const before = await counts();
    await register(registered).expect(409);
    expect(await counts()).toEqual(before);
  });
});

test('of fifty equal concurrent registrations, exactly one succeeds', async () => {
  const registration = newRegistration();
  const answers = await Promise.all(Array.from({ length: 50 }, async () => (await register(registration)).status));
  expect(answers.filter((status) => status === 201)).toHaveLength(1);
  expect(answers.filter((status) => status === 409)).toHaveLength(49);
});

test('while registration is paused, requests are refused, but validation errors come first', async () => {
  const paused = await startControlPlane({ environment: { REGISTRATION: 'paused' } });
  const refused = await register(newRegistration(), paused).expect(503);
  const invalid = await register({}, paused).expect(400);
  expect(refused.body).toMatchObject({ code: 'registration_paused', retryable: true });
  expect(refused.headers['retry-after']).toBe('3600');
  expect(invalid.body.code).toBe('invalid_request');
});
