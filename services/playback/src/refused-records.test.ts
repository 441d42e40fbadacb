import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { type Playback, sessionRequest, startPlayback } from './testing/playback';
import { makeTenant, type PublishedTenant } from './testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
});

/** The log line of the last request, without what every line has. */
function lastRequest(): Record<string, unknown> {
  const requests = playback.logged.filter(({ message }) => message === 'request');
  const { requestId, method, route, durationMilliseconds, environmentId, ...rest } = requests.at(-1)?.fields ?? {};
  return rest;
}

const subject = 'ada@example.com';

test('a refused create is logged with session, content and client, and without the viewer', async () => {
  const sessionId = randomUUID();
  const request = sessionRequest({ subject });
  await playback.create(tenant, request).expect(200);
  expect(lastRequest()).toEqual({ status: 200, code: undefined });
  await playback.create(tenant, { ...request, sessionId }).expect(429);
  expect(lastRequest()).toEqual({
    status: 429,
    code: 'concurrent_stream_limit_reached',
    clientId: tenant.client.clientId,
    sessionId,
    contentId: 'lesson-0042',
  });
  expect(JSON.stringify(playback.logged)).not.toContain(subject);
});

test('a refused player is logged with the session and the content of its token', async () => {
  const { body: session } = await playback.create(tenant, sessionRequest({ subject })).expect(200);
  await playback.asPlayer(session, 'release').expect(204);
  const named = { sessionId: session.sessionId, contentId: 'lesson-0042' };
  await playback.license(session, Buffer.from('challenge')).expect(403);
  expect(lastRequest()).toEqual({ status: 403, code: 'session_released', ...named });
  await playback.asPlayer(session, 'renew').expect(403);
  expect(lastRequest()).toEqual({ status: 403, code: 'session_released', ...named });
  expect(JSON.stringify(playback.logged)).not.toContain(subject);
});

test('a client with a wrong access key is logged, and what others send in its place is not', async () => {
  const path = `/api/v1/playback/environments/${tenant.environment.environmentId}/sessions`;
  const callAs = (clientId: string) =>
    supertest(playback.app)
      .post(path)
      .set({ 'X-SERVICE-Client-Id': clientId, 'X-SERVICE-Client-Secret': 'wrong' })
      .send(sessionRequest({ subject }))
      .expect(401);
  const refused = { status: 401, code: 'client_authentication_failed' };
  await callAs(tenant.client.clientId);
  expect(lastRequest()).toEqual({ ...refused, clientId: tenant.client.clientId });
  await callAs(tenant.accessKey);
  expect(lastRequest()).toEqual(refused);
  await callAs(subject);
  expect(lastRequest()).toEqual(refused);
});

test('only ids in their own form are logged', async () => {
  const { environmentId } = tenant.environment;
  await playback.create(tenant, { contentId: { subject }, sessionId: subject, subject: 17 }).expect(400);
  expect(lastRequest()).toEqual({ status: 400, code: 'invalid_request', clientId: tenant.client.clientId });
  // A token that is not from this service says nothing.
  const claims = Buffer.from(JSON.stringify({ sid: randomUUID(), cid: subject })).toString('base64url');
  await supertest(playback.app)
    .post(`/api/v1/playback/environments/${environmentId}/licenses/widevine`)
    .set('Authorization', `Bearer e30.${claims}.c2ln`)
    .expect(401);
  expect(lastRequest()).toEqual({ status: 401, code: 'token_invalid' });
});

test('a backend that names an unknown session is logged with it', async () => {
  const sessionId = randomUUID();
  await playback.asClient(tenant, 'post', `/sessions/${sessionId}/renew`).send({ subject }).expect(404);
  expect(lastRequest()).toEqual({
    status: 404,
    code: 'session_not_found',
    clientId: tenant.client.clientId,
    sessionId,
  });
});
