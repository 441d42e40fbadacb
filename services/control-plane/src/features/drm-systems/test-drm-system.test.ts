import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { splitSettings } from '@multi-drm/license-backends';
import {
  challenges,
  closeServers,
  everyFake,
  type FakeBackend,
  httpBackendSettings,
  licenseServer,
  licenses,
  playReadyKeyMessage,
  serveFake,
} from '@multi-drm/license-backends/testing';
import { startControlPlane, type TestControlPlane } from '../../testing/control-plane';
import { bearer, createContent, createTenant, type TestTenant } from '../../testing/records';

let controlPlane: TestControlPlane;
let tenant: TestTenant;
const contentId = 'lesson-0042 ü';

beforeAll(async () => {
  controlPlane = await startControlPlane({ environment: { LICENSE_BACKEND_TIMEOUT_MILLISECONDS: '2000' } });
});
beforeEach(async () => {
  tenant = await createTenant(controlPlane);
});
afterEach(closeServers);

const path = (drmSystem: string, environmentId = tenant.development) =>
  `/api/v1/management/environments/${environmentId}/drm-systems/${drmSystem}`;
const configure = (drmSystem: string, backend: object, environmentId = tenant.development) =>
  controlPlane.api
    .put(path(drmSystem, environmentId))
    .set(bearer(tenant.key))
    .send({ enabled: false, backend })
    .expect(200);
const sendTest = (drmSystem: string, body: object = {}, key = tenant.key) =>
  controlPlane.api
    .post(`${path(drmSystem)}/test`)
    .set(bearer(key))
    .send(body);
const challengeOf = (drmSystem: FakeBackend['drmSystem']) => challenges[drmSystem].toString('base64');
const named = everyFake.map((fake) => ({ ...fake, type: fake.settings.type }));

/** Every string in the settings of a backend that is a secret. */
function secretTexts({ settings }: FakeBackend): string[] {
  const { secret } = splitSettings(settings);
  return Object.values(secret).flatMap((value) => (typeof value === 'string' ? [value] : Object.values(value)));
}

test.each(named)('$type returns a $drmSystem license, which is not shown', async ({ settings, drmSystem, serve }) => {
  const keys = [{ keyId: randomUUID(), trackTypes: ['AUDIO' as const, 'SD' as const, 'HD' as const] }];
  await createContent(controlPlane, tenant, { contentId, keys });
  const server = await serveFake(
    serve(() => controlPlane.clock.now),
    settings.url,
  );
  await configure(drmSystem, { ...settings, url: server.url });
  const { body } = await sendTest(drmSystem, { challenge: challengeOf(drmSystem), contentId }).expect(200);
  expect(server.errors).toEqual([]);
  expect(body).toEqual({
    outcome: 'license',
    detail: 'The license server returned a license.',
    answer: { status: 200, contentType: null, bytes: expect.any(Number), text: null },
    durationMilliseconds: expect.any(Number),
  });
  expect(server.requests()).toBe(1);
});

test.each(named)('wrong credentials that $type rejects for $drmSystem are reported', async (fake) => {
  const { settings, drmSystem, serve } = fake;
  const server = await serveFake(
    serve(() => controlPlane.clock.now),
    settings.url,
  );
  const wrong = Object.entries(splitSettings(settings).secret).map(([name, value]) => [
    name,
    typeof value === 'string' ? reversed(value) : { Authorization: 'Basic d3Jvbmc=' },
  ]);
  await configure(drmSystem, { ...settings, ...Object.fromEntries(wrong), url: server.url });
  const { body } = await sendTest(drmSystem, { challenge: challengeOf(drmSystem) }).expect(200);
  expect(server.errors).toEqual([]);
  expect(body.outcome).toBe('refused');
  expect(body.detail).toMatch(/settings|refused the license/);
});

/** Another key of the same form. */
function reversed(secret: string): string {
  const [, text = '', padding = ''] = /^(.*?)(=*)$/.exec(secret) ?? [];
  return [...text].reverse().join('') + padding;
}

test.each(named)('$type: secrets that a server echoes for $drmSystem are masked', async (fake) => {
  const { settings, drmSystem } = fake;
  const texts = secretTexts(fake);
  const echoes = texts.flatMap((text) => [text, Buffer.from(text).toString('base64'), encodeURIComponent(text)]);
  let sent: string[] = [];
  const { url } = await licenseServer((request, response) => {
    const { 'content-type': _type, soapaction: _action, ...headers } = request.headers;
    sent = Object.values(headers)
      .map(String)
      .filter((value) => value.length > 30 || value === 'license-backend-test');
    response.writeHead(403, { 'Content-Type': `text/plain; echo=${encodeURIComponent(texts[0] ?? '')}` });
    response.end(`you sent ${[...echoes, ...sent].join(' and ')} to us`);
  });
  await configure(drmSystem, { ...settings, url });
  const { body, text } = await sendTest(drmSystem).expect(200);
  expect(body.answer.text).toMatch(/^you sent \[secret\] and .*\[secret\] to us$/);
  for (const secret of [...echoes, ...sent]) expect(text).not.toContain(secret);
  expect(controlPlane.log.map((entry) => JSON.stringify(entry)).join('')).not.toContain(texts[0]);
});

test.each([
  ['widevine', 'CAQ=', 'application/octet-stream'],
  ['fairplay', expect.stringMatching(/^AAAAAQAA/), 'application/octet-stream'],
  ['playready', expect.any(String), 'text/xml; charset=utf-8'],
  ['wiseplay', Buffer.from('{"payload":""}').toString('base64'), 'application/json'],
])('without a challenge, %s is sent a sample, and the result says so', async (drmSystem, sample, contentType) => {
  const received: { body: string; contentType: string | undefined; policy: unknown }[] = [];
  const { url } = await licenseServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { 'content-type': type, 'x-policy': policy } = request.headers;
    received.push({ body: Buffer.concat(parts).toString('base64'), contentType: type, policy });
    response.writeHead(400).end('no such challenge');
  });
  await configure(drmSystem, { ...httpBackendSettings, url });
  const { body } = await sendTest(drmSystem).expect(200);
  expect(received).toEqual([{ body: sample, contentType, policy: 'license-backend-test' }]);
  expect(body).toMatchObject({ outcome: 'refused', answer: { status: 400, text: 'no such challenge' } });
  expect(body.detail).toMatch(/challenge.* a sample was sent/);
});

describe('a server that does not behave like a license server', () => {
  const cases: [string, Parameters<typeof licenseServer>[0], object][] = [
    ['hangs', () => undefined, { outcome: 'unavailable', answer: null }],
    ['resets', (request) => void request.socket.destroy(), { outcome: 'unavailable', answer: null }],
    [
      'answers HTML',
      (_request, response) => void response.end('<html>hello'),
      { outcome: 'unavailable', answer: { status: 200, text: '<html>hello' } },
    ],
    [
      'answers 10 MiB',
      (_request, response) => void response.end(Buffer.alloc(10_485_760, 'x')),
      { outcome: 'unavailable', answer: null },
    ],
    [
      'answers 500,000 characters',
      (_request, response) => void response.writeHead(500).end('y'.repeat(500_000)),
      { outcome: 'unavailable', answer: { status: 500, bytes: 500_000, text: 'y'.repeat(2_000) } },
    ],
    [
      'redirects',
      (_request, response) => void response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
      { outcome: 'refused', answer: { status: 302, text: '' } },
    ],
    [
      'answers with binary data',
      (_request, response) => void response.writeHead(409).end(Buffer.from([0, 255, 1])),
      { outcome: 'refused', answer: { status: 409, bytes: 3, text: null } },
    ],
  ];
  test.each(cases)('%s', async (_what, listener, expected) => {
    const { url } = await licenseServer(listener);
    await configure('widevine', { type: 'http', url, responseFormat: 'raw' });
    const { body } = await sendTest('widevine', { challenge: challengeOf('widevine') }).expect(200);
    expect(body).toMatchObject(expected);
  });

  test('is called for each test, but only twice at the same time, while two more wait', async () => {
    // So patient that no request is given up however slow the machine is.
    const patient = await startControlPlane({ environment: { LICENSE_BACKEND_TIMEOUT_MILLISECONDS: '60000' } });
    const other = await createTenant(patient);
    let requests = 0;
    let held: ServerResponse[] | undefined = [];
    const { url } = await licenseServer((_request, response) => {
      requests += 1;
      if (held === undefined) response.end(licenses.widevine);
      else held.push(response);
    });
    const system = path('widevine', other.development);
    const backend = { type: 'http', url, responseFormat: 'raw' };
    await patient.api.put(system).set(bearer(other.key)).send({ enabled: false, backend }).expect(200);
    const details: string[] = [];
    const sendOne = async () => {
      const { body } = await patient.api.post(`${system}/test`).set(bearer(other.key)).send({}).expect(200);
      details.push(body.detail);
    };
    const together = Promise.all(Array.from({ length: 8 }, sendOne));
    while (details.length < 4 || requests < 2) await nextTurn();
    expect(details).toEqual(Array(4).fill(expect.stringMatching(/Too many requests/)));
    expect(requests).toBe(2);
    for (const response of held.splice(0)) response.end(licenses.widevine);
    held = undefined;
    await together;
    expect(details.filter((detail) => /Too many requests/.test(detail))).toHaveLength(4);
    expect(requests).toBe(4);
  });
});

test('an address that the operator no longer allows is refused without naming it', async () => {
  await configure('widevine', { type: 'http', url: 'http://127.0.0.1/license', responseFormat: 'raw' });
  await controlPlane.prisma.environmentDrmSystem.update({
    where: { environmentId_drmSystem: { environmentId: tenant.development, drmSystem: 'widevine' } },
    data: { backendSettings: { url: 'http://10.0.0.1/license', responseFormat: 'raw' } },
  });
  const { body } = await sendTest('widevine').expect(200);
  expect(body).toMatchObject({ outcome: 'refused', answer: null });
  expect(body.detail).toMatch(/The address of the license server is not allowed/);
});

test("the players' own challenge formats are accepted", async () => {
  const received: Buffer[] = [];
  const { url } = await licenseServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push(Buffer.concat(parts));
    response.end(licenses.playready);
  });
  await configure('playready', { type: 'http', url, responseFormat: 'raw' });
  const message = Buffer.from(`\ufeff${playReadyKeyMessage()}`, 'utf16le').toString('base64');
  expect((await sendTest('playready', { challenge: message }).expect(200)).body.outcome).toBe('license');
  expect(received).toEqual([challenges.playready]);
});

test('ClearKey calls no server', async () => {
  const { body } = await sendTest('widevine').expect(200);
  expect(body).toMatchObject({ outcome: 'not-asked', answer: null });
});

test('a test without a configured license backend is a conflict', async () => {
  await controlPlane.api.put(path('widevine')).set(bearer(tenant.key)).send({ enabled: false }).expect(200);
  expect((await sendTest('widevine').expect(409)).body.code).toBe('conflict');
});

test.each([
  ['a challenge that is text', { challenge: challenges.playready.toString('base64') }, 'challenge'],
  ['a challenge that is not base64', { challenge: '****' }, 'challenge'],
  ['content that the environment does not have', { contentId: 'other' }, 'contentId'],
  ['an unknown field', { url: 'https://example.com' }, 'url'],
])('%s is invalid', async (_what, request, field) => {
  await configure('widevine', { type: 'http', url: 'http://127.0.0.1:9/', responseFormat: 'raw' });
  const { body } = await sendTest('widevine', request).expect(400);
  expect(Object.keys(body.errors)).toEqual([field]);
});
