import { playbackProblems } from '@multi-drm/contracts';
import { challenges } from '@multi-drm/license-backends/testing';
import { sandboxSubjects } from '@multi-drm/policy';
import type { Response } from 'supertest';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
let development: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
  development = await tenantOf('development');
});

async function tenantOf(kind: PublishedTenant['environment']['kind']): Promise<PublishedTenant> {
  const tenant = makeTenant();
  tenant.environment.kind = kind;
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  return tenant;
}

const create = (subject: string, tenant = development) => playback.create(tenant, sessionRequest({ subject }));
const evaluate = (subject: string, tenant = development) =>
  playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest({ subject }));

async function requestLicense(subject: string, tenant = development): Promise<Response> {
  const { body: session } = await create(subject, tenant).expect(200);
  return playback.license(session, challenges.widevine);
}

async function sessionsOf(subject: string): Promise<unknown[]> {
  const { body } = await playback.asClient(development, 'get', '/sessions').query({ subject }).expect(200);
  return body.items;
}

const codeOf = (subject: string) => subject.replace(/^.*:/, '') as keyof typeof playbackProblems;

function expectProblem({ status, headers, body }: Response, code: keyof typeof playbackProblems): void {
  const { retryable, retryAfterSeconds, ...definition } = playbackProblems[code];
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  expect({ ...body, status }).toMatchObject({ code, retryable, status: definition.status, title: definition.title });
  expect(headers['retry-after']).toBe(retryAfterSeconds === null ? undefined : String(retryAfterSeconds));
  expect(headers['www-authenticate']).toEqual(status === 401 ? expect.any(String) : undefined);
}

test.each(sandboxSubjects('createPlaybackSession'))(
  'a create of %s is refused with it, and takes no slot',
  async (subject) => {
    expectProblem(await create(subject), codeOf(subject));
    expect(await sessionsOf(subject)).toEqual([]);
  },
);

test.each(sandboxSubjects('acquireLicense'))('a license request of %s is refused with it', async (subject) => {
  expectProblem(await requestLicense(subject), codeOf(subject));
});

test.each(sandboxSubjects('createPlaybackSession'))(
  'an evaluation of %s says what a create is answered',
  async (subject) => {
    const { status, body } = await evaluate(subject);
    const code = codeOf(subject);
    if (code === 'invalid_request') return expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect({ status, ...body }).toMatchObject({ status: 200, allowed: false, code, policy: null });
    expect(body.steps).toMatchObject([{ rule: 'sandbox', source: 'request', outcome: 'refused' }]);
  },
);

test('an evaluation of a subject whose license requests are refused allows the session', async () => {
  expect((await evaluate('sandbox-license:license_backend_refused').expect(200)).body.allowed).toBe(true);
});

test('the stream limit of the sandbox has a limit and as many sessions, which can be released', async () => {
  const subject = 'sandbox:concurrent_stream_limit_reached';
  const { body } = await create(subject).expect(429);
  expect(body.activeSessions).toHaveLength(body.limit);
  for (const { sessionId } of body.activeSessions) {
    await playback.asClient(development, 'post', `/sessions/${sessionId}/release`).send({ subject }).expect(204);
  }
});

test.each(['staging', 'production'] as const)(
  'in a %s environment, a subject of the sandbox is like any other',
  async (kind) => {
    const tenant = await tenantOf(kind);
    for (const subject of ['sandbox:subject_blocked', 'sandbox:unknown', 'sandbox-license:unknown']) {
      await create(subject, tenant).expect(200);
      expect((await evaluate(subject, tenant).expect(200)).body.allowed).toBe(true);
    }
    expect((await requestLicense('sandbox-license:subject_blocked', tenant)).body.code).not.toBe('subject_blocked');
  },
);

test.each([
  ['sandbox:', 'createPlaybackSession'],
  ['sandbox:subject_blockd', 'createPlaybackSession'],
  ['sandbox:license_backend_refused', 'createPlaybackSession'],
  ['sandbox-license:concurrent_stream_limit_reached', 'acquireLicense'],
])('%s, which names no problem of the operation, is refused by name', async (subject, operation) => {
  const message = expect.stringContaining(`must be followed by a problem code of ${operation}`);
  for (const call of [create, evaluate]) {
    const { body } = await call(subject).expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: { subject: [message] } });
  }
});

test.each(['sandbox', 'sandboxes:subject_blocked', 'my-sandbox:subject_blocked'])(
  '%s is an ordinary subject',
  async (subject) => {
    await create(subject).expect(200);
  },
);

test('a session of the sandbox that has ended is refused with its own reason', async () => {
  const { body: session } = await create('sandbox-license:license_backend_refused').expect(200);
  await playback.asPlayer(session, 'release').expect(204);
  expect((await playback.license(session, challenges.widevine)).body.code).toBe('session_released');
});

test('a failure of the sandbox is not logged as a failure of the service', async () => {
  await create('sandbox:internal_error').expect(500);
  await create('sandbox:service_unavailable').expect(503);
  expect(playback.logged.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
});
