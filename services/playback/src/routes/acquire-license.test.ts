import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { challenges, closeServers, licenseServer, licenses } from '@multi-drm/license-backends/testing';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import supertest from 'supertest';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeTenant, type PublishedTenant, publishViewer } from '../testing/published-tenant';

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: Buffer };

/** A customer's license server: the requests it received, and how it responds. */
const received: Received[] = [];
let answer: (response: ServerResponse) => void;
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request;
  received.push({ method, url, headers, body: await buffer(request) });
  answer(response);
}

const subject = 'lms:3f9c:17';
let playback: Playback;
let tenant: PublishedTenant;
let backendUrl: string;

beforeAll(async () => {
  ({ url: backendUrl } = await licenseServer(serve));
  playback = await startPlayback();
});
beforeEach(async () => {
  received.length = 0;
  answer = (response) => void response.end(licenses.widevine);
  await publishTenant();
});
afterAll(closeServers);

/** Publishes a new tenant, whose licenses come from the license server. */
async function publishTenant(settings: Parameters<typeof makeTenant>[0] = {}): Promise<void> {
  tenant = makeTenant(settings);
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', httpBackend());
}

function httpBackend() {
  return {
    type: 'http',
    settings: { url: backendUrl, responseFormat: 'raw', headers: { 'X-Tenant': 'lms' }, policyHeader: 'X-Policy' },
    secrets: { secretHeaders: JSON.stringify({ 'X-Api-Key': 'very secret' }) },
  };
}

async function start(overrides: object = {}, service = playback): Promise<Session> {
  return (await service.create(tenant, sessionRequest({ subject, ...overrides })).expect(200)).body;
}

async function codeOf(session: Session, challenge = challenges.widevine): Promise<string> {
  const { status, body } = await playback.license(session, challenge);
  return `${status} ${body.code ?? ''}`.trim();
}

test('the license server receives the raw challenge, and the player receives the raw license', async () => {
  const session = await start();
  const { body, headers } = await playback.license(session, challenges.widevine).expect(200);
  expect(body).toEqual(licenses.widevine);
  expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'cache-control': 'no-store' });
  expect(received).toMatchObject([
    { method: 'POST', url: '/license', headers: { 'x-tenant': 'lms', 'x-api-key': 'very secret' } },
  ]);
  expect(received[0]?.body).toEqual(challenges.widevine);
  expect(decodeProtectedHeader(String(received[0]?.headers['x-policy']))).toMatchObject({ typ: 'drm-policy+jwt' });
  expect(received[0]?.headers.authorization).toBeUndefined();
});

test('license requests do not count as streams, and the list of active sessions shows their number', async () => {
  await publishTenant({ maximumConcurrentStreams: 1 });
  const session = await start();
  for (let i = 0; i < 3; i += 1) await playback.license(session, challenges.widevine).expect(200);
  const { body } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  expect(body.items).toMatchObject([{ sessionId: session.sessionId, licenseRequests: 3 }]);
});

test.each<[string, object, object, (session: Session, startedAt: number) => number]>([
  [
    'a heartbeat that is set',
    {},
    { heartbeatSeconds: 60, maximumSessionSeconds: 80_000 },
    ({ expiresAt }) => Date.parse(expiresAt),
  ],
  [
    'a heartbeat that is removed',
    { heartbeatSeconds: 60, maximumSessionSeconds: 50_000 },
    { heartbeatSeconds: null },
    (_session, startedAt) => startedAt + 50_000_000,
  ],
  [
    'a shorter maximum session',
    { heartbeatSeconds: 60, maximumSessionSeconds: 50_000 },
    { maximumSessionSeconds: 20_000 },
    (_session, startedAt) => startedAt + 50_000_000,
  ],
])('%s during a session does not change when its license ends', async (_change, before, after, end) => {
  await publishTenant(before);
  const session = await start();
  Object.assign(tenant.environment.settings, after);
  await playback.publish(tenant);
  await playback.license(session, challenges.widevine).expect(200);
  const { lic_exp } = decodeJwt<{ lic_exp: number }>(String(received[0]?.headers['x-policy']));
  // `lic_exp` is truncated to whole seconds, and the session started just before its response.
  expect(Math.abs(lic_exp * 1000 - end(session, Date.parse(session.serverTime)))).toBeLessThan(2_000);
});

describe('the session is checked before the backend is called', () => {
  test.each<[string, string, (session: Session) => Promise<unknown>]>([
    ['released', '403 session_released', (session) => playback.asPlayer(session, 'release')],
    [
      'terminated',
      '403 session_terminated',
      ({ sessionId }) =>
        playback.asClient(tenant, 'post', `/sessions/${sessionId}/release`).send({ subject, reason: 'terminated' }),
    ],
    [
      'evicted',
      '403 session_evicted',
      () => start({ licensePolicy: { maximumConcurrentStreams: 1, atStreamLimit: 'evict-oldest' } }),
    ],
    [
      'viewer blocked since the start',
      '403 subject_blocked',
      () => publishViewer(playback.redis, tenant, { subject, status: 'blocked' }),
    ],
    [
      'content unpublished since the start',
      '409 content_not_published',
      () => playback.publish({ ...tenant, content: { ...tenant.content, status: 'draft' } }),
    ],
    [
      'organization suspended since the start',
      '403 environment_suspended',
      () => playback.publish({ ...tenant, organization: { ...tenant.organization, status: 'suspended' } }),
    ],
  ])('%s: %s', async (_state, code, change) => {
    const session = await start();
    await change(session);
    expect(await codeOf(session)).toBe(code);
    expect(received).toEqual([]);
  });

  test('an expired token: token_expired', async () => {
    await publishTenant({ licenseTokenLifetimeSeconds: 1 });
    const session = await start();
    let code = await codeOf(session);
    while (code === '200') code = await codeOf(session);
    expect(code).toBe('401 token_expired');
  });
});

test.each<[string, string, string, number]>([
  ['another DRM system', 'licenses/playready', 'token_invalid', 401],
  ['an unknown DRM system, which has no route', 'licenses/clearkey', 'route_not_found', 404],
])('a token is not accepted for %s', async (_case, route, code, status) => {
  const session = await start();
  const path = new URL(session.drm.licenseServerUrl).pathname.replace('licenses/widevine', route);
  const { body } = await supertest(playback.app)
    .post(path)
    .set('Authorization', `Bearer ${session.drm.drmLicenseToken}`)
    .expect(status);
  expect(body.code).toBe(code);
});

test('a token is not accepted in another environment', async () => {
  const other = makeTenant();
  await playback.publish(other);
  const session = await start();
  const moved = session.drm.licenseServerUrl.replace(tenant.environment.environmentId, other.environment.environmentId);
  expect(await codeOf({ ...session, drm: { ...session.drm, licenseServerUrl: moved } })).toBe('401 token_invalid');
});

describe('challenges', () => {
  test('are accepted up to 64 KiB', async () => {
    tenant.environment.drmSystems = [{ drmSystem: 'wiseplay', enabled: true, backend: 'http' }];
    tenant.content.manifests = [{ type: 'dash', url: 'https://cdn.example.com/w.mpd', drmSystems: ['wiseplay'] }];
    await playback.publish(tenant);
    await publishBackend(playback.redis, tenant, 'wiseplay', httpBackend());
    const session = await start({ drmSystem: 'wiseplay' });
    await playback.license(session, Buffer.alloc(65_536, 1)).expect(200);
    expect(await codeOf(session, Buffer.alloc(65_537, 1))).toBe('413 request_too_large');
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['encoded in base64', Buffer.from(challenges.widevine.toString('base64'))],
    ['plain text', Buffer.from('<html>')],
  ])('that are %s are refused as invalid', async (_case, challenge) => {
    expect(await codeOf(await start(), challenge)).toBe('422 license_challenge_invalid');
    expect(received).toEqual([]);
  });
});

describe('a backend failure is reported by its kind, without the text of its response', () => {
  test.each<[string, string, (response: ServerResponse) => void]>([
    [
      'does not accept the challenge',
      '422 license_challenge_invalid',
      (r) => void r.writeHead(415).end('secret words'),
    ],
    ['refuses the credentials', '502 license_backend_refused', (r) => void r.writeHead(403).end('secret words')],
    ['fails', '502 license_backend_unavailable', (r) => void r.writeHead(503).end('secret words')],
    [
      'returns HTML',
      '502 license_backend_unavailable',
      (r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<html>secret words</html>'),
    ],
    ['returns nothing', '502 license_backend_unavailable', (r) => void r.end()],
    ['resets the connection', '502 license_backend_unavailable', (r) => void r.socket?.resetAndDestroy()],
    ['returns 10 MiB', '502 license_backend_unavailable', (r) => void r.end(Buffer.alloc(10 << 20, 1))],
    [
      'redirects to an internal address',
      '502 license_backend_refused',
      (r) => void r.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ],
  ])('a backend that %s: %s', async (_case, code, answering) => {
    answer = answering;
    await expectProblem(playback, code);
  });

  test('a backend that hangs: 504 license_backend_unavailable', async () => {
    answer = () => undefined;
    const impatient = await startPlayback({ environment: { LICENSE_BACKEND_TIMEOUT_MILLISECONDS: '300' } });
    await expectProblem(impatient, '504 license_backend_unavailable');
  });

  async function expectProblem(service: Playback, code: string): Promise<void> {
    const { status, body, headers } = await service.license(await start({}, service), challenges.widevine);
    expect(`${status} ${body.code}`).toBe(code);
    expect(JSON.stringify(body)).not.toMatch(/secret|127\.0\.0\.1|169\.254/);
    expect(headers['content-type']).toMatch(/problem\+json/);
    expect(headers['retry-after'] !== undefined).toBe(body.retryable);
  }

  test('a license compressed with gzip without being asked for is decompressed for the player', async () => {
    answer = (r) => void r.setHeader('content-encoding', 'gzip').end(gzipSync(licenses.widevine));
    const { body, headers } = await playback.license(await start(), challenges.widevine).expect(200);
    expect(body).toEqual(licenses.widevine);
    expect(headers['content-encoding']).toBeUndefined();
  });

  test.each([400, 415, 422])(
    'a challenge that the backend refuses with %d is logged with that status, not as a warning or error',
    async (status) => {
      answer = (r) => void r.writeHead(status).end('secret words');
      const before = playback.logged.length;
      expect(await codeOf(await start())).toBe('422 license_challenge_invalid');
      const logged = playback.logged.slice(before);
      expect(logged).toContainEqual({
        level: 'info',
        message: 'request refused',
        fields: expect.objectContaining({ code: 'license_challenge_invalid', cause: `license server: ${status}` }),
      });
      expect(logged.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    },
  );

  test('a private address that is not allowed is not called', async () => {
    const backend = httpBackend();
    await publishBackend(playback.redis, tenant, 'widevine', {
      ...backend,
      settings: { ...backend.settings, url: backendUrl.replace('127.0.0.1', '127.0.0.2') },
    });
    expect(await codeOf(await start())).toBe('502 license_backend_refused');
  });

  test('plain http is used in development only', async () => {
    tenant.environment.kind = 'production';
    await playback.publish(tenant);
    expect(await codeOf(await start())).toBe('502 license_backend_refused');
    expect(received).toEqual([]);
  });

  test('no backend is configured: license_backend_not_configured', async () => {
    await publishBackend(playback.redis, tenant, 'widevine', null);
    expect(await codeOf(await start())).toBe('422 license_backend_not_configured');
    await publishBackend(playback.redis, tenant, 'widevine', httpBackend(), { enabled: false });
    expect(await codeOf(await start())).toBe('422 license_backend_not_configured');
  });

  test('changed settings apply at once, including to active sessions', async () => {
    const session = await start();
    expect(await codeOf(session)).toBe('200');
    await publishBackend(playback.redis, tenant, 'widevine', null);
    expect(await codeOf(session)).toBe('422 license_backend_not_configured');
  });
});
