import { createHash, randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { decodeJwt } from 'jose';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish, publishViewer } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;
let time = new Date();

beforeAll(async () => {
  playback = await startPlayback({ now: () => time });
});
beforeEach(async () => {
  time = new Date();
  tenant = makeTenant();
});

const profile = (name: string) => ({
  licenseProfileId: randomUUID(),
  projectId: tenant.environment.projectId,
  name,
  maximumHeight: 720,
  tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 3, hdcp: '1.0' } }],
  rights: {
    maximumConcurrentStreams: 7,
    atStreamLimit: 'reject',
    licenseDurationSeconds: 3_600,
    playbackDurationSeconds: null,
    availableFrom: null,
    availableUntil: null,
    allowedClientPlatforms: null,
  },
});

const publishProfile = (name: string) =>
  publish(playback.redis, publishedKeys.licenseProfile(tenant.environment.projectId, name), profile(name));

test('a template can name a license profile of the project, including its rights', async () => {
  await playback.publish(tenant);
  await publishProfile('Premium');
  const { body } = await playback
    .create(tenant, sessionRequest({ licensePolicyTemplate: 'Premium', useEnvironmentDefaults: false }))
    .expect(200);
  expect(body.policy).toEqual({
    maximumHeight: 720,
    allowedTrackTypes: ['AUDIO', 'SD', 'HD'],
    template: 'Premium',
    maximumConcurrentStreams: 7,
    licenseDurationSeconds: 3_600,
  });
});

test('the token contains the id of the license profile, and responses its name, however long it is', async () => {
  await playback.publish(tenant);
  const name = '\u{1f600}'.repeat(200);
  const published = profile(name);
  await publish(playback.redis, publishedKeys.licenseProfile(tenant.environment.projectId, name), published);
  const request = sessionRequest({ licensePolicyTemplate: name, useEnvironmentDefaults: false });
  const { body: session } = await playback.create(tenant, request).expect(200);
  const { body: renewed } = await playback.asPlayer(session, 'renew').expect(200);
  for (const { policy, drm } of [session, renewed]) {
    expect(policy.template).toBe(name);
    expect(decodeJwt(drm.drmLicenseToken).pol).toMatchObject({ template: published.licenseProfileId });
    expect(drm.drmLicenseToken.length).toBeLessThan(4_096);
  }
});

test("the environment's default may be a license profile of the project", async () => {
  tenant.environment.settings.defaultLicensePolicyTemplate = 'House rules';
  await playback.publish(tenant);
  await publishProfile('House rules');
  const { body } = await playback.create(tenant, sessionRequest()).expect(200);
  expect(body.policy.template).toBe('House rules');
});

test('a profile cannot replace a built-in template', async () => {
  await playback.publish(tenant);
  await publishProfile('single-hardware');
  const { body } = await playback
    .create(tenant, sessionRequest({ licensePolicyTemplate: 'single-hardware' }))
    .expect(200);
  expect(body.policy.maximumHeight).toBe(2160);
});

test("a viewer's own stream limit wins over the policy's and the environment's", async () => {
  await playback.publish(tenant);
  const subject = randomUUID();
  await publishViewer(playback.redis, tenant, { subject, maximumConcurrentStreams: 1 });
  const request = sessionRequest({ subject });
  const { body } = await playback.create(tenant, request).expect(200);
  expect(body.policy.maximumConcurrentStreams).toBe(1);
  await playback.create(tenant, request).expect(429);
});

test('the previous access key is accepted until the overlap ends', async () => {
  const previous = `ak_${randomUUID()}`;
  const validUntil = new Date(time.getTime() + 60_000).toISOString();
  tenant.client.previousAccessKey = { hash: createHash('sha256').update(previous).digest('hex'), validUntil };
  await playback.publish(tenant);
  await playback.create(tenant, sessionRequest()).expect(200);
  await playback.create({ ...tenant, accessKey: previous }, sessionRequest()).expect(200);
  time = new Date(validUntil);
  await playback.create({ ...tenant, accessKey: previous }, sessionRequest()).expect(401);
  await playback.create(tenant, sessionRequest()).expect(200);
});
