import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
const tenant = makeTenant();
const foreign = makeTenant();

beforeAll(async () => {
  playback = await startPlayback();
  await playback.publish(tenant);
  await playback.publish(foreign);
});

/** Publishes another API client of the tenant's project. */
async function clientWith(change: Partial<PublishedTenant['client']>): Promise<PublishedTenant> {
  const other = makeTenant();
  const { projectId, organizationId } = tenant.client;
  const client = { ...other.client, projectId, organizationId, ...change };
  await playback.publish({ ...other, client });
  return { ...tenant, client, accessKey: other.accessKey };
}

/** Every call that an API client can make in an environment. */
const routes: [name: string, method: 'get' | 'post', path: string, body: object | undefined][] = [
  ['create', 'post', '/sessions', sessionRequest()],
  ['list', 'get', '/sessions', undefined],
  ['evaluation', 'post', '/sessions/evaluations', sessionRequest()],
  ['renewal', 'post', `/sessions/${randomUUID()}/renew`, { subject: 'viewer' }],
  ['release', 'post', `/sessions/${randomUUID()}/release`, { subject: 'viewer' }],
];

/** The whole response except what differs between calls: its time, its request id and the environment in the path. */
async function answerTo(caller: PublishedTenant, [, method, path, body]: (typeof routes)[number]) {
  const { status, headers, text } = await playback
    .asClient(caller, method, path)
    .set('X-Request-Id', 'request-0001')
    .send(body);
  const { date: _date, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(caller.environment.environmentId, 'environment') };
}

describe.each(routes)('on %s', (...route) => {
  const unknown = () =>
    answerTo({ ...tenant, environment: { ...tenant.environment, environmentId: randomUUID() } }, route);

  test('an unknown environment returns 404 environment_not_found', async () => {
    const { status, text } = await unknown();
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: 'environment_not_found', contractVersion: 1 });
  });

  test("another project's environment gets the same response as an unknown one, byte for byte", async () => {
    expect(await answerTo({ ...tenant, environment: foreign.environment }, route)).toEqual(await unknown());
  });

  test('an environment outside the client’s environmentIds gets the same response as an unknown one, byte for byte', async () => {
    expect(await answerTo(await clientWith({ environmentIds: [randomUUID()] }), route)).toEqual(await unknown());
    expect(await answerTo(await clientWith({ environmentIds: [] }), route)).toEqual(await unknown());
  });

  test('an environment in the client’s environmentIds is accessible, with its id in upper case too', async () => {
    const { environmentId } = tenant.environment;
    const limited = await clientWith({ environmentIds: [randomUUID(), environmentId] });
    const inCapitals = { ...tenant.environment, environmentId: environmentId.toUpperCase() };
    for (const environment of [tenant.environment, inCapitals]) {
      const { text } = await answerTo({ ...limited, environment }, route);
      expect(text).not.toContain('environment_not_found');
    }
  });

  test('an unknown client id, a wrong access key and empty credentials get the same response, byte for byte', async () => {
    const wrong = await answerTo({ ...tenant, accessKey: 'ak_wrong' }, route);
    expect(wrong.status).toBe(401);
    expect(JSON.parse(wrong.text).code).toBe('client_authentication_failed');
    const client = { ...tenant.client, clientId: 'ci_unknown' };
    expect(await answerTo({ ...tenant, client }, route)).toEqual(wrong);
    expect(await answerTo({ ...tenant, client, environment: foreign.environment }, route)).toEqual(wrong);
    expect(await answerTo({ ...tenant, accessKey: '' }, route)).toEqual(wrong);
  });
});

describe('checks run in order', () => {
  // The request starts with everything wrong; each row corrects what the rows before it name.
  const order = [
    ['body size', 413, 'request_too_large'],
    ['credentials', 401, 'client_authentication_failed'],
    ['permission', 403, 'permission_denied'],
    ['tenant', 404, 'environment_not_found'],
    ['JSON syntax', 400, 'invalid_request'],
    ['schema', 400, 'invalid_request'],
    ['state', 404, 'content_not_found'],
  ] as const;

  test.each(order.map(([check, status, code], index) => ({ check, status, code, index })))(
    '$index: $check, before all later checks',
    async ({ status, code, index }) => {
      const weak = await clientWith({ permissions: ['sessions:read'] });
      const caller = index > 2 ? tenant : weak;
      const { environment } = index > 3 ? tenant : foreign;
      const unknownField = index > 5 ? {} : { nonsense: true };
      const json = JSON.stringify({ ...sessionRequest(), contentId: 'never registered', ...unknownField });
      const text = index > 4 ? json : json.slice(1);
      const { body } = await playback
        .asClient({ ...caller, environment, accessKey: index > 1 ? caller.accessKey : 'ak_wrong' }, 'post', '/sessions')
        .set('Content-Type', 'application/json')
        .send(index > 0 ? text : text.padEnd(65_537))
        .expect(status);
      expect(body.code).toBe(code);
      expect(body.errors).toEqual(
        { 4: { body: ['is not valid JSON'] }, 5: { nonsense: ['is not a known field'] } }[index],
      );
    },
  );
});

describe('each operation requires its permission', () => {
  test.each([
    ['create', 'license-tokens:create'],
    ['renewal', 'license-tokens:create'],
    ['list', 'sessions:read'],
    ['release', 'sessions:release'],
  ] as const)('%s: %s', async (name, permission) => {
    const permissions = ['license-tokens:create', 'sessions:evaluate', 'sessions:read', 'sessions:release'] as const;
    const others = await clientWith({ permissions: permissions.filter((one) => one !== permission) });
    const alone = await clientWith({ permissions: [permission] });
    for (const route of routes.filter(([route]) => route === name)) {
      expect(JSON.parse((await answerTo(others, route)).text).code).toBe('permission_denied');
      expect((await answerTo(alone, route)).text).not.toContain('permission_denied');
    }
  });
});

test.each(['sessions:evaluate', 'license-tokens:create'])('evaluation: %s is enough', async (permission) => {
  for (const route of routes.filter(([name]) => name === 'evaluation')) {
    const others = await clientWith({ permissions: ['sessions:read', 'sessions:release'] });
    expect(JSON.parse((await answerTo(others, route)).text)).toMatchObject({
      code: 'permission_denied',
      detail: 'The API client does not hold sessions:evaluate or license-tokens:create.',
    });
    expect((await answerTo(await clientWith({ permissions: [permission] }), route)).text).not.toContain(
      'permission_denied',
    );
  }
});

test.each<[string, Record<string, string>]>([
  ['The headers X-SERVICE-Client-Id and X-SERVICE-Client-Secret are missing.', {}],
  ['The header X-SERVICE-Client-Id is missing.', { 'X-SERVICE-Client-Secret': 'ak_x' }],
  ['The header X-SERVICE-Client-Secret is missing.', { 'X-SERVICE-Client-Id': 'ci_x' }],
])('the problem names the missing credential headers: %s', async (detail, headers) => {
  const path = `/api/v1/playback/environments/${tenant.environment.environmentId}/sessions`;
  const { body } = await supertest(playback.app).post(path).set(headers).send(sessionRequest()).expect(401);
  expect(body).toMatchObject({ code: 'client_authentication_failed', detail });
});

test.each(['renew', 'release'])('the problem for a %s without credentials names both kinds', async (verb) => {
  const environment = `/api/v1/playback/environments/${tenant.environment.environmentId}`;
  const { body } = await supertest(playback.app)
    .post(`${environment}/sessions/${'s'.repeat(16)}/${verb}`)
    .expect(401);
  expect(body).toMatchObject({
    code: 'token_invalid',
    detail:
      'Send the license token as Authorization: Bearer, or an API client’s credentials as X-SERVICE-Client-Id and X-SERVICE-Client-Secret.',
  });
});

describe('the header prefix is configurable', () => {
  test('headers with the configured prefix are accepted, and the default ones are not', async () => {
    const renamed = await startPlayback({ environment: { API_CLIENT_HEADER_PREFIX: 'X-Acme-Drm' } });
    const environment = `/api/v1/playback/environments/${tenant.environment.environmentId}`;
    const call = (prefix: string, path: string, body: object) =>
      supertest(renamed.app)
        .post(`${environment}${path}`)
        .set(`${prefix}-Client-Id`, tenant.client.clientId)
        .set(`${prefix}-Client-Secret`, tenant.accessKey)
        .send(body);
    const request = sessionRequest();
    const { body: session } = await call('X-Acme-Drm', '/sessions', request).expect(200);
    const { body: refused } = await call('X-SERVICE', '/sessions', request).expect(401);
    expect(refused.detail).toBe('The headers X-Acme-Drm-Client-Id and X-Acme-Drm-Client-Secret are missing.');
    const { subject } = request;
    await call('X-Acme-Drm', `/sessions/${session.sessionId}/renew`, { subject }).expect(200);
    await call('X-SERVICE', `/sessions/${session.sessionId}/release`, { subject }).expect(401);
    await call('X-Acme-Drm', `/sessions/${session.sessionId}/release`, { subject }).expect(204);
  });
});

test.each([
  ['delete', '/sessions', 'GET, HEAD, POST'],
  ['get', '/sessions/evaluations', 'POST'],
  ['put', `/sessions/${randomUUID()}/release`, 'POST'],
  ['get', `/sessions/${randomUUID()}/renew`, 'POST'],
] as const)('%s of %s is 405 with Allow: %s', async (method, path, allow) => {
  const { body, headers } = await supertest(playback.app)
    [method](`/api/v1/playback/environments/${tenant.environment.environmentId}${path}`)
    .expect(405);
  expect(body).toMatchObject({ code: 'method_not_allowed', contractVersion: 1 });
  expect(headers.allow).toBe(allow);
});
