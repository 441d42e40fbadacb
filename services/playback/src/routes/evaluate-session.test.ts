import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { findBuiltInTemplate } from '@multi-drm/policy';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish, publishViewer } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant({ maximumConcurrentStreams: 1 });
  await playback.publish(tenant);
});

const evaluate = (body: object) => playback.asClient(tenant, 'post', '/sessions/evaluations').send(body);

test('an allowed evaluation lists every rule and reserves nothing', async () => {
  const request = sessionRequest();
  for (let i = 0; i < 3; i += 1) {
    const { body } = await evaluate(request).expect(200);
    expect(body).toMatchObject({ allowed: true, policy: { template: 'single-software', maximumConcurrentStreams: 1 } });
    expect(body.code).toBeUndefined();
    expect(body.steps.map(({ outcome }: { outcome: string }) => outcome)).not.toContain('refused');
  }
  const { body: session } = await playback.create(tenant, request).expect(200);
  expect(session.policy).toEqual((await evaluate(sessionRequest()).expect(200)).body.policy);
});

test('a refusal at the stream limit names the rule, its source and the count, but no session ids', async () => {
  const request = sessionRequest();
  const { body: session } = await playback.create(tenant, request).expect(200);
  const { body } = await evaluate(request).expect(200);
  expect(body).toMatchObject({ allowed: false, code: 'concurrent_stream_limit_reached' });
  expect(body.steps.at(-1)).toEqual({
    rule: 'viewer_stream_limit',
    source: 'environment',
    outcome: 'refused',
    detail: '1 of 1 streams are in use.',
  });
  expect(JSON.stringify(body)).not.toContain(session.sessionId);
});

test('a session to be replaced does not count', async () => {
  const request = sessionRequest();
  const { body: session } = await playback.create(tenant, request).expect(200);
  const { body } = await evaluate({ ...request, replacesSessionId: session.sessionId }).expect(200);
  expect(body.allowed).toBe(true);
});

test("the viewer's own limit and status apply", async () => {
  const subject = 'lms:1';
  await publishViewer(playback.redis, tenant, { subject, maximumConcurrentStreams: 5 });
  expect((await evaluate(sessionRequest({ subject })).expect(200)).body.policy.maximumConcurrentStreams).toBe(5);
  await publishViewer(playback.redis, tenant, { subject, status: 'blocked' });
  const { body } = await evaluate(sessionRequest({ subject })).expect(200);
  expect(body).toMatchObject({ allowed: false, code: 'subject_blocked' });
  expect(body.steps.at(-1)).toMatchObject({ source: 'end user', outcome: 'refused' });
});

test('the steps show which profile lowered the height and which one forbids the platform', async () => {
  const { projectId } = tenant.environment;
  const { tracks } = findBuiltInTemplate('single-software') ?? {};
  const limits = { maximumConcurrentStreams: null, licenseDurationSeconds: null, playbackDurationSeconds: null };
  await publish(playback.redis, publishedKeys.licenseProfile(projectId, 'kids'), {
    licenseProfileId: randomUUID(),
    projectId,
    name: 'kids',
    maximumHeight: 720,
    tracks,
    rights: {
      ...limits,
      atStreamLimit: 'reject',
      availableFrom: null,
      availableUntil: null,
      allowedClientPlatforms: ['android-tv'],
    },
  });
  const content = { ...tenant.content, licenseProfileName: 'kids' };
  await publish(playback.redis, publishedKeys.content(content.environmentId, content.contentId), content);

  const refused = await evaluate(sessionRequest()).expect(200);
  expect(refused.body).toMatchObject({ allowed: false, code: 'client_platform_not_allowed' });
  expect(refused.body.steps.at(-1)).toMatchObject({ source: 'license profile "kids"', outcome: 'refused' });

  const onTelevision = sessionRequest({ platformCapabilities: { clientPlatform: 'android-tv' } });
  const { body } = await evaluate(onTelevision).expect(200);
  expect(body.policy.maximumHeight).toBe(720);
  expect(body.steps).toContainEqual(
    expect.objectContaining({ rule: 'maximum_height', source: 'license profile "kids"', outcome: 'applied' }),
  );
});

test('an invalid request is rejected as in a create', async () => {
  const { body } = await evaluate(sessionRequest({ nonsense: 1 })).expect(400);
  expect(body).toMatchObject({ code: 'invalid_request', errors: { nonsense: ['is not a known field'] } });
});

test('no token is signed, and the session id is not stored', async () => {
  const request = sessionRequest({ sessionId: randomUUID() });
  const newTokenId = jest.fn(randomUUID);
  const counting = await startPlayback({ tokens: { newTokenId } });
  const { text } = await counting.asClient(tenant, 'post', '/sessions/evaluations').send(request).expect(200);
  expect(newTokenId).not.toHaveBeenCalled();
  expect(text).not.toContain(String(request.sessionId));
  await counting.create(tenant, { ...request, applicationId: 'another' }).expect(200);
});
