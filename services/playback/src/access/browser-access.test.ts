import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
const open = makeTenant();
const restricted = makeTenant({ allowedOrigins: ['https://shop.example', 'https://tv.example'] });

beforeAll(async () => {
  playback = await startPlayback();
  await playback.publish(open);
  await playback.publish(restricted);
});

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

describe('the requested headers of a preflight', () => {
  const allowedOf = async (asked: string, origin = 'https://shop.example') => {
    const { headers } = await preflight(idOf(restricted), 'licenses/widevine', origin)
      .set('Access-Control-Request-Headers', asked)
      .expect(204);
    return headers['access-control-allow-headers'];
  };
  const needed = 'Authorization, Content-Type, SOAPAction';

  test('are all allowed, without duplicates', async () => {
    const asked = 'cache-control,pragma,traceparent,cmcd-object,x-request-id';
    expect(await allowedOf(`authorization,${asked}`)).toBe(`${needed}, ${asked.replaceAll(',', ', ')}`);
    expect(await allowedOf('x-a, x-a ,, soapaction')).toBe(`${needed}, x-a`);
  });

  test.each(['x-service-client-id', 'X-SERVICE-Client-Secret'])('are not allowed if they include %s', async (name) => {
    expect(await allowedOf(`range,${name}`)).toBe(`${needed}, range`);
  });

  test('are not allowed if they are not header names, or if the origin is not allowed', async () => {
    expect(await allowedOf('a b,"c",(d),e\tf')).toBe(needed);
    expect(await allowedOf('range', 'https://evil.example')).toBeUndefined();
  });

  test('do not include the wildcard, which would allow the credential headers too', async () => {
    expect(await allowedOf('*,range,x-service-client-id')).toBe(`${needed}, range`);
  });

  test('are not allowed if they are credential headers with the configured prefix', async () => {
    const other = await startPlayback({ environment: { API_CLIENT_HEADER_PREFIX: 'X-Shop' } });
    const { headers } = await supertest(other.app)
      .options(path(idOf(restricted), 'licenses/widevine'))
      .set({ Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' })
      .set('Access-Control-Request-Headers', 'x-shop-client-id,x-shop-client-secret,x-service-client-id');
    expect(headers['access-control-allow-headers']).toBe(`${needed}, x-service-client-id`);
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

test('an environment with allowed origins allows only those', async () => {
  const { headers: allowed } = await preflight(idOf(restricted)).expect(204);
  expect(allowed['access-control-allow-origin']).toBe('https://shop.example');
  const { headers: other } = await preflight(idOf(restricted), 'licenses/widevine', 'https://evil.example').expect(204);
  expect(other['access-control-allow-origin']).toBeUndefined();
  expect(other['access-control-allow-methods']).toBeUndefined();
  expect(other.vary).toContain('Origin');
});

test('a preflight for an unknown environment gets the same response as one for a known environment', async () => {
  const known = await preflight(idOf(open));
  const unknown = await preflight(randomUUID());
  const facts = ({ status, headers: { 'x-request-id': _id, date: _date, ...headers } }: typeof known) => ({
    status,
    headers,
  });
  expect(facts(unknown)).toEqual(facts(known));
});

test('nothing is read for an id that no environment can have, and its responses are the same', async () => {
  const unknown = await preflight(randomUUID()).expect(204);
  const reads = jest.spyOn(playback.redis, 'hget');
  const { headers } = await preflight('no-uuid').expect(204);
  expect(headers['access-control-allow-origin']).toBe(unknown.headers['access-control-allow-origin']);
  expect(reads).not.toHaveBeenCalled();
});

test('a player may read responses and problems, including Retry-After and the request id', async () => {
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

test('a response to a request without Origin still has Vary: Origin', async () => {
  const { body: session } = await playback.create(open, sessionRequest()).expect(200);
  const { headers } = await playback.asPlayer(session, 'release').expect(204);
  expect(headers.vary).toContain('Origin');
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('a create response never has CORS headers', async () => {
  const { headers: preflighted } = await preflight(idOf(open), 'sessions').expect(405);
  expect(preflighted['access-control-allow-origin']).toBeUndefined();
  const { headers } = await playback.create(open, sessionRequest()).set('Origin', 'https://shop.example').expect(200);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('a player from an origin that is not allowed cannot read problems either', async () => {
  const { headers } = await supertest(playback.app)
    .post(path(idOf(restricted), 'sessions/any-session-0000/release'))
    .set('Origin', 'https://evil.example')
    .expect(401);
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test.each([
  ['list', 'get', '/sessions'],
  ['evaluation', 'post', '/sessions/evaluations'],
] as const)('a %s response never has CORS headers either', async (_call, method, route) => {
  await preflight(idOf(open), route.slice(1)).expect(405);
  const { headers } = await playback.asClient(open, method, route).set('Origin', 'https://shop.example').send();
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

test.each([
  ['an unsupported method', 405, { method: 'get', type: 'text/plain', body: undefined }],
  ['a beacon that is too large', 413, { method: 'post', type: 'text/plain', body: 'x'.repeat(8193) }],
  ['a wrong token', 401, { method: 'post', type: 'text/plain', body: 'no-token' }],
] as const)('the problem for %s has CORS headers', async (_what, status, { method, type, body }) => {
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

test('a player may read Retry-After', async () => {
  const limited = await startPlayback({ environment: { SESSION_REQUESTS_PER_MINUTE: '1' } });
  const { body: session } = await limited.create(open, sessionRequest()).expect(200);
  const renew = () => limited.asPlayer(session, 'renew').set('Origin', 'https://shop.example');
  await renew().expect(200);
  const { headers } = await renew().expect(429);
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers['retry-after']).toMatch(/^[1-9]\d?$/);
});

test.each(['capacitor://localhost', 'http://[::1]:3000', 'null', 'file://'])(
  'the origin of an app or of a page from a file is allowed if configured: %s',
  async (origin) => {
    const apps = makeTenant({ allowedOrigins: [origin] });
    await playback.publish(apps);
    for (const sent of [origin, 'https://evil.example']) {
      const { headers } = await preflight(idOf(apps), 'licenses/widevine', sent).expect(204);
      expect(headers['access-control-allow-origin']).toBe(sent === origin ? origin : undefined);
    }
  },
);

test('routes match in any letter case and with a trailing slash', async () => {
  const spelled = path(idOf(open), 'Licenses/widevine/').replace('/api/v1/playback', '/API/v1/Playback');
  const { headers } = await supertest(playback.app).post(spelled).set('Origin', 'https://shop.example').expect(401);
  expect(headers['access-control-allow-origin']).toBe('*');
});
