import { randomInt, randomUUID } from 'node:crypto';
import { rememberedUntil } from '@multi-drm/slots/testing';
import supertest from 'supertest';
import { type Playback, type PlaybackOverrides, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let tenant: PublishedTenant;

/** Starts the service with its clock at the start of a minute that no other test uses. */
async function start(overrides: PlaybackOverrides): Promise<Playback> {
  const minute = new Date((Math.floor(Date.now() / 60_000) + randomInt(1, 10_000_000)) * 60_000);
  const started = await startPlayback({ now: () => minute, ...overrides });
  tenant = makeTenant({ maximumConcurrentStreams: null });
  await started.publish(tenant);
  return started;
}

const from = (address: string) => ({ 'X-Forwarded-For': address });
const sessions = () => `/api/v1/playback/environments/${tenant.environment.environmentId}/sessions`;

describe('unauthenticated calls', () => {
  const limits = { UNAUTHENTICATED_REQUESTS_PER_MINUTE: '2' };
  const refused = (service: Playback, address: string) =>
    service.create({ ...tenant, accessKey: 'ak_wrong' }, sessionRequest()).set(from(address));

  test('are limited by address, with Retry-After', async () => {
    const service = await start({ environment: limits });
    await refused(service, '203.0.113.7').expect(401);
    await refused(service, '203.0.113.7').expect(401);
    const { body, headers } = await refused(service, '203.0.113.7').expect(429);
    expect(body).toMatchObject({ code: 'rate_limited', retryable: true, contractVersion: 1 });
    expect(headers['retry-after']).toBe('60');
    await refused(service, '203.0.113.8').expect(401);
  });

  test('from an address do not block credentials that were valid before, nor valid tokens', async () => {
    const service = await start({ environment: limits });
    await service.create(tenant, sessionRequest()).set(from('203.0.113.7')).expect(200);
    for (let call = 0; call < 3; call += 1) await refused(service, '203.0.113.7');
    const { body } = await service.create(tenant, sessionRequest()).set(from('203.0.113.7')).expect(200);
    await service.asPlayer(body, 'renew').set(from('203.0.113.7')).expect(200);
    const invalid = service.asPlayer(body, 'renew').set({ ...from('203.0.113.7'), Authorization: 'Bearer no-token' });
    await invalid.expect(401);
  });

  test('with one client id use up the limit of that client id, not that of the address', async () => {
    const environment = { UNAUTHENTICATED_REQUESTS_PER_MINUTE: '5', REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: '2' };
    const service = await start({ environment });
    const statuses = [];
    for (let call = 0; call < 6; call += 1) statuses.push((await refused(service, '203.0.113.7')).status);
    expect(statuses).toEqual([401, 401, 429, 429, 429, 429]);
    const other = makeTenant();
    await service.publish(other);
    await service.create(other, sessionRequest()).set(from('203.0.113.7')).expect(200);
  });

  test('with made-up client ids are counted together, whatever else they contain', async () => {
    const service = await start({ environment: limits });
    const guess = () =>
      service
        .create({ ...tenant, client: { ...tenant.client, clientId: randomUUID() } }, sessionRequest())
        .set({ ...from('203.0.113.7'), Authorization: 'Bearer no-token' });
    await guess().expect(401);
    await guess().expect(401);
    await guess().expect(429);
  });

  test('beyond the limit are refused without a lookup, unless their credentials were valid before', async () => {
    const service = await start({ environment: limits });
    await refused(service, '203.0.113.7').expect(401);
    await refused(service, '203.0.113.7').expect(401);
    // A lookup would find these credentials valid.
    await service.create(tenant, sessionRequest()).set(from('203.0.113.7')).expect(429);
    await service.create(tenant, sessionRequest()).set(from('203.0.113.8')).expect(200);
    await service.create(tenant, sessionRequest()).set(from('203.0.113.7')).expect(200);
  });

  test('beyond the limit are refused before their bodies are parsed, and calls with a valid credential are never counted', async () => {
    const service = await start({ environment: limits });
    const send = (accessKey: string, body: string) =>
      service
        .asClient({ ...tenant, accessKey }, 'post', '/sessions')
        .set({ ...from('203.0.113.7'), 'Content-Type': 'application/json' })
        .send(body);
    for (let call = 0; call < 3; call += 1) await send(tenant.accessKey, '{').expect(400);
    await send('ak_wrong', '{').expect(401);
    await send('ak_wrong', '[1]').expect(401);
    await send('ak_wrong', '{').expect(429);
    await send(tenant.accessKey, '{').expect(400);
  });

  test('are counted for a wrong license token too', async () => {
    const service = await start({ environment: limits });
    const renew = () =>
      supertest(service.app).post(`${sessions()}/any-session-0000/renew`).set('Authorization', 'Bearer no-token');
    await renew().set(from('203.0.113.7')).expect(401);
    await renew().set(from('203.0.113.7')).expect(401);
    await renew().set(from('203.0.113.7')).expect(429);
  });

  test('of the certificate are counted separately, and do not block calls with a valid token', async () => {
    const service = await start({ environment: { ...limits, CERTIFICATE_REQUESTS_PER_MINUTE: '2' } });
    for (let call = 0; call < 3; call += 1) await refused(service, '203.0.113.7');
    const { body: session } = await service.create(tenant, sessionRequest()).expect(200);
    const renew = () => supertest(service.app).post(`${sessions()}/${session.sessionId}/renew`);
    for (let call = 0; call < 3; call += 1) await renew().set({ ...from('203.0.113.7'), Authorization: 'Bearer none' });
    const certificate = (authorization?: string) => {
      const call = supertest(service.app).get(sessions().replace('/sessions', '/certificates/fairplay'));
      return call.set({ ...from('203.0.113.7'), ...(authorization ? { Authorization: authorization } : {}) });
    };
    await certificate().expect(404); // the environment has none
    await certificate('Bearer no-token').expect(404);
    await certificate('Bearer no-token').expect(429);
    await certificate(`Bearer ${session.drm.drmLicenseToken}`).expect(404);
  });

  test('are counted by the last address that is not a trusted proxy', async () => {
    const service = await start({ environment: limits });
    await refused(service, '198.51.100.1, 203.0.113.7').expect(401);
    await refused(service, '198.51.100.2, 203.0.113.7').expect(401);
    await refused(service, '198.51.100.3, 203.0.113.7').expect(429);
  });

  test.each([
    [
      'from different ports',
      ['203.0.113.7:50001', '203.0.113.7:50002', '[::ffff:203.0.113.7]:50003'],
      '203.0.113.8:50001',
    ],
    [
      'from one IPv6 /64 network',
      ['[2001:db8:1:2::7]:50001', '2001:db8:1:2:3:4:5:6', '[2001:db8:1:2::9]'],
      '2001:db8:1:3::7',
    ],
  ])('are counted together if they come %s', async (_how, [one = '', two = '', three = ''], another) => {
    const service = await start({ environment: limits });
    await refused(service, one).expect(401);
    await refused(service, two).expect(401);
    await refused(service, three).expect(429);
    await refused(service, another).expect(401);
  });

  test('are counted by the address of the connection if no proxy is trusted: X-Forwarded-For does not evade the limit', async () => {
    const service = await start({ environment: { ...limits, TRUSTED_PROXIES: '' } });
    await refused(service, '203.0.113.7').expect(401);
    await refused(service, '203.0.113.8').expect(401);
    await refused(service, '203.0.113.9').expect(429);
  });

  test.each([
    ['a license token', () => ({ Authorization: 'Bearer no-token' })],
    ['an access key', () => ({ 'X-SERVICE-Client-Id': tenant.client.clientId, 'X-SERVICE-Client-Secret': 'ak_wrong' })],
  ])('are counted on release too, where %s could be guessed, and do not block valid ones', async (_what, headers) => {
    const service = await start({ environment: limits });
    const { body: session } = await service.create(tenant, sessionRequest()).expect(200);
    const release = () =>
      supertest(service.app)
        .post(`${sessions()}/${session.sessionId}/release`)
        .set({ ...from('203.0.113.7'), ...headers() })
        .send({ subject: 'viewer' });
    await release().expect(401);
    await release().expect(401);
    await release().expect(429);
    await service.asPlayer(session, 'release').set(from('203.0.113.7')).expect(204);
  });
});

describe('calls of an API client', () => {
  test('are unlimited by default', async () => {
    const service = await start({});
    for (let call = 0; call < 30; call += 1) await service.asClient(tenant, 'get', '/sessions').expect(200);
  });

  test('share one limit across operations, separately for each client', async () => {
    const service = await start({ environment: { API_CLIENT_REQUESTS_PER_MINUTE: '4' } });
    const request = sessionRequest();
    const { body: session } = await service.create(tenant, request).expect(200);
    await service.asClient(tenant, 'get', '/sessions').expect(200);
    await service.asClient(tenant, 'post', '/sessions/evaluations').send(request).expect(200);
    const renew = () =>
      service.asClient(tenant, 'post', `/sessions/${session.sessionId}/renew`).send({ subject: request.subject });
    await renew().expect(200);
    const { body, headers } = await renew().expect(429);
    expect(body.code).toBe('rate_limited');
    expect(headers['retry-after']).toBe('60');

    const other = makeTenant();
    await service.publish(other);
    await service.create(other, sessionRequest()).expect(200);
    await service.asPlayer(session, 'renew').expect(200);
  });

  test('are neither limited nor counted when they release a session', async () => {
    const service = await start({ environment: { API_CLIENT_REQUESTS_PER_MINUTE: '2' } });
    const { sessionId } = (await service.create(tenant, sessionRequest({ subject: 'viewer' })).expect(200)).body;
    const release = () =>
      service.asClient(tenant, 'post', `/sessions/${sessionId}/release`).send({ subject: 'viewer' });
    for (let call = 0; call < 4; call += 1) await release().expect(204);
    await service.asClient(tenant, 'get', '/sessions').expect(200);
    await service.asClient(tenant, 'get', '/sessions').expect(429);
    await release().expect(204);
  });

  test('have a limit of their own when they release unknown ids, which used-up calls do not lower', async () => {
    const environment = { API_CLIENT_REQUESTS_PER_MINUTE: '1', UNKNOWN_RELEASES_PER_MINUTE: '2' };
    const service = await start({ environment });
    const subject = 'viewer';
    const release = (id: string) => service.asClient(tenant, 'post', `/sessions/${id}/release`).send({ subject });
    const { body: session } = await service.create(tenant, sessionRequest({ subject })).expect(200);
    const unknown = Array.from({ length: 5 }, () => randomUUID());
    await service.asClient(tenant, 'get', '/sessions').expect(429);
    for (const id of unknown.slice(0, 2)) await release(id).expect(204);
    for (const id of unknown.slice(2)) {
      const { body, headers } = await release(id).expect(429);
      expect(body).toMatchObject({ code: 'rate_limited', retryable: true });
      expect(headers['retry-after']).toBe('60');
    }
    const { environmentId } = tenant.environment;
    const remembered = await Promise.all(
      unknown.map((sessionId) => rememberedUntil(service.redis, { environmentId, subject, sessionId })),
    );
    expect(remembered.filter((until) => until !== null)).toHaveLength(2);
    await release(session.sessionId).expect(204);
    await service.asPlayer(session, 'renew').expect(403);
  });
});

test('renewals are counted by session, not by address, because viewers share addresses', async () => {
  const service = await start({ environment: { SESSION_REQUESTS_PER_MINUTE: '1' } });
  const { body: one } = await service.create(tenant, sessionRequest()).expect(200);
  const { body: other } = await service.create(tenant, sessionRequest()).expect(200);
  await service.asPlayer(one, 'renew').set(from('203.0.113.7')).expect(200);
  await service.asPlayer(one, 'renew').set(from('203.0.113.8')).expect(429);
  await service.asPlayer(other, 'renew').set(from('203.0.113.7')).expect(200);
});
