import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { publishedKeys } from '@multi-drm/contracts';
import { challenges, closeServers, licenseServer, licenses } from '@multi-drm/license-backends/testing';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeTenant, type PublishedTenant, publish, publishViewer } from '../testing/published-tenant';
import { refusal } from '../testing/request-event';

let playback: Playback;
let tenant: PublishedTenant;
let backendUrl: string;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  playback = await startPlayback();
  ({ url: backendUrl } = await licenseServer(async (_request, response) => answer(response)));
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
  const settings = { url: backendUrl, responseFormat: 'raw' };
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'http', settings });
  answer = (response) => void response.end(licenses.widevine);
});
afterAll(closeServers);

/** What the events of a session of the default request have in common. */
const common = (subject: unknown) => ({
  environmentId: tenant.environment.environmentId,
  subject: String(subject),
  at: expect.any(Number),
  contentId: 'lesson-0042',
  contentType: 'vod' as const,
  drmSystem: 'widevine' as const,
});

async function start(request: object): Promise<Session> {
  return (await playback.create(tenant, request).expect(200)).body;
}

test('a create that the limit refuses is reported with the limit, equal ones as one', async () => {
  const request = sessionRequest({ applicationId: 'app', platformCapabilities: { clientPlatform: 'web' } });
  const before = Date.now();
  await start({ ...request, sessionId: undefined });
  for (let i = 0; i < 3; i += 1) await playback.create(tenant, request).expect(429);
  const [event, ...others] = await playback.recordedRequests(tenant);
  expect(others).toEqual([]);
  const counted = { code: 'concurrent_stream_limit_reached', limit: 1, activeSessions: 1, count: 3 };
  const player = { applicationId: 'app', clientPlatform: 'web' };
  expect(event).toEqual(refusal({ ...common(request.subject), ...player, ...counted }));
  expect(event?.at).toBeGreaterThanOrEqual(before);
  expect(event?.at).toBeLessThanOrEqual(Date.now());
});

test('a create with a session id of its own is reported with it', async () => {
  const request = sessionRequest({ sessionId: randomUUID(), contentId: 'unknown' });
  await playback.create(tenant, request).expect(404);
  const expected = { ...common(request.subject), sessionId: String(request.sessionId), contentId: 'unknown' };
  expect(await playback.recordedRequests(tenant)).toEqual([refusal({ ...expected, code: 'content_not_found' })]);
});

test('a refused renewal is reported, of a player with what its token says', async () => {
  const request = sessionRequest();
  const session = await start(request);
  await publishViewer(playback.redis, tenant, { subject: String(request.subject), status: 'blocked' });
  await playback.asPlayer(session, 'renew').expect(403);
  const byBackend = { subject: request.subject };
  await playback.asClient(tenant, 'post', `/sessions/${session.sessionId}/renew`).send(byBackend).expect(403);
  const blocked = { subject: String(request.subject), sessionId: session.sessionId, code: 'subject_blocked' };
  const { environmentId } = tenant.environment;
  expect(await playback.recordedRequests(tenant)).toEqual([
    refusal({ ...common(request.subject), ...blocked, reservationId: expect.any(String) }),
    refusal({ ...blocked, environmentId, at: expect.any(Number) }),
  ]);
});

test('a license is reported with the backend and its answer', async () => {
  const request = sessionRequest();
  const session = await start(request);
  await playback.license(session, challenges.widevine).expect(200);
  const [event, ...others] = await playback.recordedRequests(tenant);
  expect(others).toEqual([]);
  const { sessionId } = session;
  const exchange = { backend: 'http', vendorStatus: 200, milliseconds: expect.any(Number) };
  const expected = { ...common(request.subject), sessionId, reservationId: expect.any(String), ...exchange };
  expect(event).toEqual(refusal({ ...expected, kind: 'license.issued', code: null }));
});

test('a refused license is reported with the answer of the license server, if there was one', async () => {
  const session = await start(sessionRequest());
  answer = (response) => void response.writeHead(403).end();
  await playback.license(session, challenges.widevine).expect(502);
  answer = (response) => void response.destroy();
  await playback.license(session, challenges.widevine).expect(502);
  await playback.asPlayer(session, 'release').expect(204);
  await playback.license(session, challenges.widevine).expect(403);
  expect(await playback.recordedRequests(tenant)).toMatchObject([
    { kind: 'license.refused', code: 'license_backend_refused', vendorStatus: 403, backend: 'http' },
    { kind: 'license.refused', code: 'license_backend_unavailable', vendorStatus: null, backend: 'http' },
    { kind: 'license.refused', code: 'session_released', vendorStatus: null, backend: null, milliseconds: null },
  ]);
});

test('neither evaluations nor wrong requests and credentials are reported', async () => {
  const request = sessionRequest();
  await playback.create(tenant, { ...request, contentType: 'film' }).expect(400);
  await playback.create({ ...tenant, accessKey: 'wrong' }, request).expect(401);
  const unknown = { ...request, contentId: 'unknown' };
  await playback.asClient(tenant, 'post', '/sessions/evaluations').send(unknown).expect(200);
  const twoPolicies = { licensePolicyTemplate: 'single-hdcp', licensePolicy: {} };
  const { body } = await playback.create(tenant, { ...request, ...twoPolicies }).expect(400);
  expect(body.code).toBe('policy_selection_conflict');
  expect(await playback.recordedRequests(tenant)).toEqual([]);
});

test('what nobody could decide is not reported, because the published documents are not complete', async () => {
  const session = await start(sessionRequest());
  const { projectId, environmentId } = tenant.environment;
  await publish(playback.redis, publishedKeys.project(projectId), null);
  await publish(playback.redis, publishedKeys.content(environmentId, 'lesson-0042'), null);
  await playback.license(session, challenges.widevine).expect(503);
  await playback.asPlayer(session, 'renew').expect(503);
  expect(await playback.recordedRequests(tenant)).toEqual([]);
});

test('switched off, nothing is reported', async () => {
  const off = await startPlayback({ environment: { EVENT_BUFFER_MEBIBYTES: '0' } });
  await off.create(tenant, sessionRequest({ contentId: 'unknown' })).expect(404);
  expect(await off.recordedRequests(tenant)).toEqual([]);
});
