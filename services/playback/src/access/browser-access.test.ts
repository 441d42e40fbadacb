import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { connected, type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
const open = makeTenant();
const restricted = makeTenant({ allowedOrigins: ['https://shop.example', 'https://tv.example'] });

beforeAll(async () => {
  playback = startPlayback();
  await connected(playback);
  await playback.publish(open);
  await playback.publish(restricted);
});
afterAll(() => playback.close());

const playerRoutes = ['sessions/any-session-0000/release', 'sessions/any-session-0000/renew', 'licenses/widevine'];
const path = (environmentId: string, route: string) => `/api/v1/playback/environments/${environmentId}/${route}`;
const idOf = ({ environment }: PublishedTenant) => environment.environmentId;

function preflight(environmentId: string, route = 'licenses/widevine', origin = 'https://shop.example') {
  return supertest(playback.app)
    .options(path(environmentId, route))
    .set('Origin', origin)
    .set('Access-Control-Request-Method', 'POST')
    .set('Access-Control-Request-Headers', 'authorization');
}

describe('the headers that a page asks for', () => {
  const allowedOf = async (asked: string, origin = 'https://shop.example') => {
    const { headers } = await preflight(idOf(restricted), 'licenses/widevine', origin)
      .set('Access-Control-Request-Headers', asked)
      .expect(204);
    return headers['access-control-allow-headers'];
  };
  const needed = 'Authorization, Content-Type, SOAPAction';

  test('are all allowed, each once', async () => {
    const asked = 'cache-control,pragma,traceparent,cmcd-object,x-request-id';
    expect(await allowedOf(`authorization,${asked}`)).toBe(`${needed}, ${asked.replaceAll(',', ', ')}`);
    expect(await allowedOf('x-a, x-a ,, soapaction')).toBe(`${needed}, x-a`);
  });

  test.each(['x-service-client-id', 'X-SERVICE-Client-Secret'])('are not where they are %s', async (name) => {
    expect(await allowedOf(`range,${name}`)).toBe(`${needed}, range`);
  });

  test('are not where they are no names of headers, or come from another origin', async () => {
    expect(await allowedOf('a b,"c",(d),e\tf')).toBe(needed);
    expect(await allowedOf('range', 'https://evil.example')).toBeUndefined();
  });

  test('are not where one is called as the wildcard, which would allow credential headers, too', async () => {
    expect(await allowedOf('*,range,x-service-client-id')).toBe(`${needed}, range`);
  });

  test('are not where they are credential headers with the prefix of the operator', async () => {
    const other = startPlayback({ environment: { API_CLIENT_HEADER_PREFIX: 'X-Shop' } });
    await connected(other);
    const { headers } = await supertest(other.app)
      .options(path(idOf(restricted), 'licenses/widevine'))
      .set({ Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' })
      .set('Access-Control-Request-Headers', 'x-shop-client-id,x-shop-client-secret,x-service-client-id');
    expect(headers['access-control-allow-headers']).toBe(`${needed}, x-service-client-id`);
    other.close();
  });
});

test.each([...playerRoutes, 'certificates/fairplay'])('a preflight of %s is answered', async (route) => {
  const { headers } = await preflight(idOf(open), route).expect(204);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'Authorization, Content-Type, SOAPAction',
    'access-control-max-age': '86400',
    vary: expect.stringContaining('Origin'),
  });
  expect(headers['access-control-allow-credentials']).toBeUndefined();
});

test('an environment with allowed origins answers those alone', async () => {
  const { headers: allowed } = await preflight(idOf(restricted)).expect(204);
  expect(allowed['access-control-allow-origin']).toBe('https://shop.example');
  const { headers: other } = await preflight(idOf(restricted), 'licenses/widevine', 'https://evil.example').expect(204);
  expect(other['access-control-allow-origin']).toBeUndefined();
  expect(other['access-control-allow-methods']).toBeUndefined();
  expect(other.vary).toContain('Origin');
});

test('a preflight of an unknown environment is answered like one of a known environment', async () => {
  const known = await preflight(idOf(open));
  const unknown = await preflight(randomUUID());
  const facts = ({ status, headers: { 'x-request-id': _id, date: _date, ...headers } }: typeof known) => ({
    status,
    headers,
  });
  expect(facts(unknown)).toEqual(facts(known));
});

test('answers, problems too, may be read by the player, with Retry-After and the request id', async () => {
  const { headers } = await supertest(playback.app)
    .post(path(idOf(open), 'sessions/any-session-0000/renew'))
    .set('Origin', 'https://shop.example')
    .set('Authorization', 'Bearer no-token')
    .expect(401);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
    vary: expect.stringContaining('Origin'),
  });
});

test('an answer without an Origin still says that it depends on it', async () => {
  const { body: session } = await playback.create(open, sessionRequest()).expect(200);
  const { headers } = await playback.asPlayer(session, 'release').expect(204);
  expect(headers.vary).toContain('Origin');
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('creating a session never answers a browser', async () => {
  const { headers: preflighted } = await preflight(idOf(open), 'sessions').expect(405);
  expect(preflighted['access-control-allow-origin']).toBeUndefined();
  const { headers } = await playback.create(open, sessionRequest()).set('Origin', 'https://shop.example').expect(200);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('a player of a restricted environment may not even read a problem from another origin', async () => {
  const { headers } = await supertest(playback.app)
    .post(path(idOf(restricted), 'sessions/any-session-0000/release'))
    .set('Origin', 'https://evil.example')
    .expect(401);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test.each([
  ['list', 'get', '/sessions'],
  ['evaluation', 'post', '/sessions/evaluations'],
] as const)('a %s never answers a browser either', async (_call, method, route) => {
  await preflight(idOf(open), route.slice(1)).expect(405);
  const { headers } = await playback.asClient(open, method, route).set('Origin', 'https://shop.example').send();
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test.each([
  ['a method that is not taken', 405, { method: 'get', type: 'text/plain', body: undefined }],
  ['a beacon that is too large', 413, { method: 'post', type: 'text/plain', body: 'x'.repeat(8193) }],
  ['a wrong token', 401, { method: 'post', type: 'text/plain', body: 'no-token' }],
] as const)('the problem of %s carries CORS headers', async (_what, status, { method, type, body }) => {
  const { headers } = await supertest(playback.app)
    [method](path(idOf(open), 'sessions/any-session-0000/release'))
    .set('Origin', 'https://shop.example')
    .set('Content-Type', type)
    .send(body)
    .expect(status);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
    vary: expect.stringContaining('Origin'),
  });
});

test('a player may read when to come back', async () => {
  const limited = startPlayback({ environment: { SESSION_REQUESTS_PER_MINUTE: '1' } });
  await connected(limited);
  const { body: session } = await limited.create(open, sessionRequest()).expect(200);
  const renew = () => limited.asPlayer(session, 'renew').set('Origin', 'https://shop.example');
  await renew().expect(200);
  const { headers } = await renew().expect(429);
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers['retry-after']).toMatch(/^[1-9]\d?$/);
  limited.close();
});

test.each(['capacitor://localhost', 'http://[::1]:3000', 'null', 'file://'])(
  'an app or a page from a file is answered by its origin where that is allowed: %s',
  async (origin) => {
    const apps = makeTenant({ allowedOrigins: [origin] });
    await playback.publish(apps);
    for (const sent of [origin, 'https://evil.example']) {
      const { headers } = await preflight(idOf(apps), 'licenses/widevine', sent).expect(204);
      expect(headers['access-control-allow-origin']).toBe(sent === origin ? origin : undefined);
    }
  },
);

test('a route is found in any letter case and with a slash behind it', async () => {
  const spelled = path(idOf(open), 'Licenses/widevine/').replace('/api/v1/playback', '/API/v1/Playback');
  const { headers } = await supertest(playback.app).post(spelled).set('Origin', 'https://shop.example').expect(401);
  expect(headers['access-control-allow-origin']).toBe('*');
});
