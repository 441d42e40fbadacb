import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { playbackProblems, publishedKeys } from '@multi-drm/contracts';
import { challenges } from '@multi-drm/license-backends/testing';
import { findBuiltInTemplate } from '@multi-drm/policy';
import { answerClientError } from '@multi-drm/service-kit';
import { untilRedisTime } from '@multi-drm/slots/testing';
import { answerToHalfRequest } from '@multi-drm/test-kit';
import supertest, { type Response } from 'supertest';
import { problemMembers } from '../app';
import { clientErrorOf } from '../testing/client-error';
import { createPlayback, type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeContent, makeTenant, type PublishedTenant, publish, publishViewer } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
});

const sessionsPath = (environmentId: string) => `/api/v1/playback/environments/${environmentId}/sessions`;
const create = (overrides: object) => playback.create(tenant, sessionRequest(overrides));

async function contentOf(change: object): Promise<string> {
  const content = { ...makeContent(tenant.environment.environmentId, randomUUID()), ...change };
  await publish(playback.redis, publishedKeys.content(content.environmentId, content.contentId), content);
  return content.contentId;
}

const httpBackend = (url: string) => ({ type: 'http', settings: { url, responseFormat: 'raw' } });

/** Requests a license from this backend for a new session. */
async function licenseFrom(
  backend: Parameters<typeof publishBackend>[3],
  challenge = challenges.widevine,
): Promise<Response> {
  await publishBackend(playback.redis, tenant, 'widevine', backend);
  const { body: session } = await create({});
  return playback.license(session, challenge);
}

/** Renews a session after ending it. */
async function ended(end: (session: Session, subject: string) => Promise<unknown>): Promise<Response> {
  const request = sessionRequest();
  const { body: session } = await playback.create(tenant, request);
  await end(session, String(request.subject));
  return playback.asPlayer(session, 'renew');
}

/** Creates a session under a license profile with these rights. */
async function createUnder(rights: object): Promise<Response> {
  const { projectId } = tenant.environment;
  const { tracks, maximumHeight } = findBuiltInTemplate('single-software') ?? {};
  const limits = { maximumConcurrentStreams: null, licenseDurationSeconds: null, playbackDurationSeconds: null };
  const profile = {
    licenseProfileId: randomUUID(),
    projectId,
    name: 'restricted',
    maximumHeight,
    tracks,
    rights: { ...limits, atStreamLimit: 'reject', ...rights },
  };
  await publish(playback.redis, publishedKeys.licenseProfile(projectId, 'restricted'), profile);
  return create({ licensePolicyTemplate: 'restricted' });
}

type Answer = Pick<Response, 'status' | 'headers' | 'body'>;

/** How to provoke each problem code. The list must be complete. */
const provocations: Record<keyof typeof playbackProblems, () => Promise<Answer>> = {
  invalid_request: async () => create({ subject: '' }),
  policy_selection_conflict: async () => create({ licensePolicyTemplate: 'single-hdcp', licensePolicy: {} }),
  client_authentication_failed: async () => playback.create({ ...tenant, accessKey: 'ak_wrong' }, sessionRequest()),
  token_invalid: async () =>
    supertest(playback.app)
      .post(`${sessionsPath(tenant.environment.environmentId)}/${randomUUID()}/release`)
      .set('Authorization', 'Bearer not-a-token'),
  token_expired: async () => {
    const shortLived = makeTenant({ licenseTokenLifetimeSeconds: 1 });
    await playback.publish(shortLived);
    const { body } = await playback.create(shortLived, sessionRequest());
    for (;;) {
      const answer = await playback.asPlayer(body, 'renew');
      if (answer.status !== 200) return answer;
    }
  },
  session_released: async () => ended((session) => playback.asPlayer(session, 'release')),
  session_terminated: async () =>
    ended(({ sessionId }, subject) =>
      playback.asClient(tenant, 'post', `/sessions/${sessionId}/release`).send({ subject, reason: 'terminated' }),
    ),
  session_evicted: async () => {
    const licensePolicy = { maximumConcurrentStreams: 1, atStreamLimit: 'evict-oldest' };
    return ended((_session, subject) => create({ subject, licensePolicy }));
  },
  session_expired: async () => {
    // With a heartbeat of 1 s, the session ends after 2.5 s and its token later.
    const quick = makeTenant({ heartbeatSeconds: 1 });
    await playback.publish(quick);
    const { body } = await playback.create(quick, sessionRequest());
    await untilRedisTime(playback.redis, new Date(body.expiresAt));
    return playback.asPlayer(body, 'renew');
  },
  session_not_found: async () =>
    playback.asClient(tenant, 'post', `/sessions/${randomUUID()}/renew`).send({ subject: 'nobody' }),
  certificate_not_found: async () =>
    supertest(playback.app).get(
      `/api/v1/playback/environments/${tenant.environment.environmentId}/certificates/fairplay`,
    ),
  license_challenge_invalid: async () => licenseFrom({ type: 'clearkey' }, Buffer.from('no challenge')),
  license_backend_not_configured: async () => licenseFrom(null),
  license_backend_refused: async () => licenseFrom(httpBackend('http://169.254.169.254/')),
  license_backend_unavailable: async () => licenseFrom(httpBackend('http://127.0.0.1:1/')),
  content_not_available: async () =>
    createUnder({ availableFrom: null, availableUntil: '2020-01-01T00:00:00.000Z', allowedClientPlatforms: null }),
  client_platform_not_allowed: async () =>
    createUnder({ availableFrom: null, availableUntil: null, allowedClientPlatforms: ['android-tv'] }),
  organization_stream_limit_reached: async () => {
    const planned = makeTenant();
    planned.organization.maximumConcurrentStreams = 1;
    await playback.publish(planned);
    await playback.create(planned, sessionRequest()).expect(200);
    return playback.create(planned, sessionRequest());
  },
  rate_limited: async () => {
    const limited = await startPlayback({ environment: { API_CLIENT_REQUESTS_PER_MINUTE: '1' } });
    await limited.create(tenant, sessionRequest()).expect(200);
    return limited.create(tenant, sessionRequest());
  },
  permission_denied: async () => {
    const weak = makeTenant();
    weak.client.permissions = ['sessions:read'];
    await playback.publish(weak);
    return playback.create(weak, sessionRequest());
  },
  subject_blocked: async () => {
    const subject = `blocked-${randomUUID()}`;
    await publishViewer(playback.redis, tenant, { subject, status: 'blocked' });
    return create({ subject });
  },
  environment_suspended: async () => {
    const suspended = makeTenant();
    suspended.organization.status = 'suspended';
    await playback.publish(suspended);
    return playback.create(suspended, sessionRequest());
  },
  environment_not_found: async () => {
    const other = makeTenant();
    await playback.publish(other);
    return playback.create({ ...tenant, environment: other.environment }, sessionRequest());
  },
  content_not_found: async () => create({ contentId: 'never registered' }),
  route_not_found: async () => supertest(playback.app).get('/api/v1/nothing'),
  method_not_allowed: async () => supertest(playback.app).delete(sessionsPath(tenant.environment.environmentId)),
  content_not_published: async () => create({ contentId: await contentOf({ status: 'draft' }) }),
  idempotency_key_reused: async () => {
    const keyed = (body: object) => playback.create(tenant, body).set('Idempotency-Key', 'attempt-of-the-registry');
    const request = sessionRequest();
    await keyed(request).expect(200);
    return keyed({ ...request, applicationId: 'another' });
  },
  session_id_reused: async () => {
    const request = sessionRequest({ sessionId: randomUUID() });
    await playback.create(tenant, request).expect(200);
    return playback.create(tenant, { ...request, applicationId: 'another' });
  },
  request_timeout: async () => {
    const server = createServer({ requestTimeout: 100, connectionsCheckingInterval: 10 });
    return answerToHalfRequest(server.on('clientError', answerClientError({ members: problemMembers })));
  },
  request_too_large: async () => create({ applicationId: 'x'.repeat(65_536) }),
  unsupported_media_type: async () => create({}).set('Content-Type', 'text/plain').send('{}'),
  content_type_mismatch: async () => create({ contentType: 'live' }),
  drm_system_not_supported: async () => create({ platformCapabilities: { drmSystems: ['playready'] } }),
  manifest_not_available: async () => create({ platformCapabilities: { manifestTypes: ['hls'] } }),
  playback_mode_not_supported: async () => create({ playbackMode: 'offline' }),
  license_policy_required: async () => create({ useEnvironmentDefaults: false }),
  license_policy_template_not_found: async () => create({ licensePolicyTemplate: 'nobody-made-this' }),
  license_policy_invalid: async () => create({ useEnvironmentDefaults: false, licensePolicy: { maximumHeight: 720 } }),
  concurrent_stream_limit_reached: async () => {
    const small = makeTenant({ maximumConcurrentStreams: 1 });
    await playback.publish(small);
    const request = sessionRequest();
    await playback.create(small, request).expect(200);
    return playback.create(small, request);
  },
  internal_error: async () => {
    const broken = makeTenant();
    await playback.publish(broken);
    await publish(playback.redis, publishedKeys.environment(broken.environment.environmentId), { nonsense: true });
    return playback.create(broken, sessionRequest());
  },
  service_unavailable: async () => {
    const cutOff = createPlayback({ redisUrl: 'redis://127.0.0.1:1' });
    return cutOff.create(tenant, sessionRequest());
  },
};

test.each(Object.entries(provocations))('%s is returned as the registry defines it', async (code, provoke) => {
  const { body, status, headers } = await provoke();
  const definition = playbackProblems[code as keyof typeof playbackProblems];
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(headers['cache-control']).toBe('no-store');
  expect({ status, code: body.code, retryable: body.retryable }).toEqual({
    status: definition.status,
    code,
    retryable: definition.retryable,
  });
  expect(body).toMatchObject({ status, contractVersion: 1, requestId: headers['x-request-id'] });
  expect(await clientErrorOf({ status, headers, body })).toMatchObject({ name: 'PlaybackProblem', code, status });
  expect(body.detail.length).toBeGreaterThan(0);
  expect(headers['retry-after']).toEqual(definition.retryable ? expect.stringMatching(/^[1-9]\d?$/) : undefined);
});

test('the problem for an unsupported method lists the supported ones', async () => {
  const { headers } = await provocations.method_not_allowed();
  expect(headers.allow).toBe('GET, HEAD, POST');
});

test.each([
  ['an unknown field', { licencePolicyTemplate: 'single-hdcp' }, { licencePolicyTemplate: ['is not a known field'] }],
  ['a missing field', { contentId: undefined }, { contentId: ['is required'] }],
  [
    'an unknown DRM system',
    { drmSystem: 'clearkey' },
    { drmSystem: ['must be one of widevine, playready, fairplay, wiseplay'] },
  ],
  [
    'a content id of 201 bytes in 101 characters',
    { contentId: `${'é'.repeat(100)}x` },
    { contentId: ['must be 1 to 200 bytes of UTF-8 without control characters'] },
  ],
  [
    'a NUL in the subject',
    { subject: 'a\u0000b' },
    {
      subject: ['must not contain control characters or unpaired surrogates, or consist of invisible characters only'],
    },
  ],
  [
    'reporting of more than 1 KiB',
    { reporting: { x: 'y'.repeat(1024) } },
    { reporting: ['must be at most 1024 bytes of JSON'] },
  ],
])('%s is rejected by name', async (_name, overrides, errors) => {
  const { body } = await create(overrides).expect(400);
  expect(body).toMatchObject({ code: 'invalid_request', errors });
});

test('malformed JSON is rejected', async () => {
  const { body } = await create({}).set('Content-Type', 'application/json').send('{"contentId":').expect(400);
  expect(body).toMatchObject({ code: 'invalid_request', errors: { body: ['is not valid JSON'] } });
});

test('a refused request takes no slot', async () => {
  const small = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(small);
  const request = sessionRequest();
  await playback.create(small, { ...request, contentType: 'live' }).expect(422);
  await playback.create(small, request).expect(200);
});

test('a create with an unknown client gets the same response as one with a wrong access key', async () => {
  const { body: wrong } = await provocations.client_authentication_failed();
  const unknown = { ...tenant, client: { ...tenant.client, clientId: 'ci_unknown' } };
  const { body } = await playback.create(unknown, sessionRequest()).expect(401);
  expect({ ...body, requestId: null }).toEqual({ ...wrong, requestId: null });
});

test('an expired client is refused', async () => {
  const expired = makeTenant();
  expired.client.expiresAt = '2020-01-01T00:00:00.000Z';
  await playback.publish(expired);
  await playback.create(expired, sessionRequest()).expect(401);
});

test('a token is accepted only for its own session', async () => {
  const { body: first } = await create({}).expect(200);
  const { body: second } = await create({}).expect(200);
  const { body } = await supertest(playback.app)
    .post(new URL(second.release.url).pathname)
    .set('Authorization', `Bearer ${first.drm.drmLicenseToken}`)
    .expect(401);
  expect(body.code).toBe('token_invalid');
});

test('access keys, tokens and subjects are not logged', async () => {
  const { body } = await create({ subject: 'viewer-in-the-clear' }).expect(200);
  const text = JSON.stringify(playback.logged);
  expect(text).not.toContain(tenant.accessKey);
  expect(text).not.toContain(body.drm.drmLicenseToken);
  expect(text).not.toContain('viewer-in-the-clear');
});
