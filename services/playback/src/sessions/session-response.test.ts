import { randomUUID } from 'node:crypto';
import { type ContentDocument, type PlaybackSchemas, publishedKeys } from '@multi-drm/contracts';
import { findBuiltInTemplate, type TrackType } from '@multi-drm/policy';
import supertest from 'supertest';
import { type Playback, type Session, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish } from '../testing/published-tenant';

type DrmSystem = PlaybackSchemas['DrmSystem'];

// The response fields of the contract that relied-on-facts.test.ts does not cover.

let playback: Playback;
let tenant: PublishedTenant;
const base = () => `https://playback.example.com/api/v1/playback/environments/${tenant.environment.environmentId}`;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(() => use({}));

async function use(settings: Parameters<typeof makeTenant>[0], content: Partial<ContentDocument> = {}): Promise<void> {
  tenant = makeTenant(settings);
  tenant.content = { ...tenant.content, ...content };
  await playback.publish(tenant);
}

const start = async (overrides: object = {}): Promise<Session> =>
  (await playback.create(tenant, sessionRequest(overrides)).expect(200)).body;
const manifest = (type: string, ...drmSystems: DrmSystem[]) => ({
  type,
  url: `https://cdn.example.com/${type}`,
  drmSystems,
});

test('Cache-Control is no-store', async () => {
  const { headers } = await playback.create(tenant, sessionRequest()).expect(200);
  expect(headers['cache-control']).toBe('no-store');
});

test('manifestUrl is the first of manifestUrls, which match the DRM system and the accepted types', async () => {
  const [dash, smooth] = [manifest('dash', 'widevine', 'playready'), manifest('smooth', 'playready')];
  await use({}, { manifests: [manifest('hls', 'fairplay'), dash, smooth] });
  const any = await start({ drmSystem: 'playready' });
  expect([any.manifestUrl, any.manifestUrls]).toEqual([dash.url, [dash, smooth]]);
  const platformCapabilities = { manifestTypes: ['smooth', 'hls'] };
  const one = await start({ drmSystem: 'playready', platformCapabilities });
  expect([one.manifestUrl, one.manifestUrls]).toEqual([smooth.url, [smooth]]);
});

test('expiresAt and serverTime are RFC 3339 in UTC with milliseconds', async () => {
  const { expiresAt, serverTime, drm } = await start();
  for (const time of [expiresAt, serverTime, drm.tokenExpiresAt]) expect(new Date(time).toISOString()).toBe(time);
});

test.each(['widevine', 'playready'])(
  'drm.licenseServerUrl is the license route of the DRM system: %s',
  async (drmSystem) => {
    const { drm } = await start({ drmSystem });
    expect(drm).toMatchObject({ licenseServerUrl: `${base()}/licenses/${drmSystem}`, tokenType: 'Bearer' });
  },
);

test.each<[DrmSystem, string[]]>([
  ['widevine', ['com.widevine.alpha']],
  ['playready', ['com.microsoft.playready.recommendation', 'com.microsoft.playready']],
  ['fairplay', ['com.apple.fps']],
  ['wiseplay', ['com.huawei.wiseplay', 'com.wiseplay.drm']],
])('drm.keySystems of %s are %j, or org.w3.clearkey if the backend is clearkey', async (drmSystem, keySystems) => {
  await use({}, { manifests: [manifest('dash', drmSystem)] });
  expect((await start({ drmSystem })).drm.keySystems).toEqual(keySystems);
  for (const system of tenant.environment.drmSystems) system.backend = 'clearkey';
  for (const key of tenant.content.keys) key.encryptedKey = 'v1.test.kept';
  await playback.publish(tenant);
  expect((await start({ drmSystem })).drm.keySystems).toEqual(['org.w3.clearkey']);
});

test("drm.keyIds are the content's key ids that the policy allows", async () => {
  const trackTypesOfKeys: TrackType[][] = [['SD'], ['UHD1'], ['HD', 'UHD2'], ['AUDIO']];
  const keys = trackTypesOfKeys.map((trackTypes) => ({ keyId: randomUUID(), trackTypes, encryptedKey: null }));
  await use({}, { keys });
  const [sd, , hd, audio] = keys.map(({ keyId }) => keyId);
  expect((await start()).drm.keyIds).toEqual([sd, hd, audio]);
  expect((await start({ licensePolicy: { maximumHeight: 576 } })).drm.keyIds).toEqual([sd, audio]);
});

test('drm.robustness is given per track type, and absent if the backend is clearkey', async () => {
  for (const system of tenant.environment.drmSystems) system.backend = 'clearkey';
  for (const key of tenant.content.keys) key.encryptedKey = 'v1.test.kept';
  await playback.publish(tenant);
  expect((await start()).drm).not.toHaveProperty('robustness');
  for (const system of tenant.environment.drmSystems) system.backend = 'axinom';
  await playback.publish(tenant);
  const { drm } = await start({ licensePolicyTemplate: 'multi-tier-standard', drmSystem: 'playready' });
  expect(drm.robustness).toEqual({ AUDIO: '2000', SD: '2000', HD: '2000', UHD1: '3000' });
});

test('policy shows durations and the end of availability if there are any, in an evaluation too', async () => {
  const limits = {
    licenseDurationSeconds: 3600,
    playbackDurationSeconds: 7200,
    availableUntil: '2999-01-01T00:00:00.000Z',
  };
  const { projectId } = tenant.environment;
  await publish(playback.redis, publishedKeys.licenseProfile(projectId, 'rental'), {
    licenseProfileId: randomUUID(),
    projectId,
    name: 'rental',
    maximumHeight: 1080,
    tracks: findBuiltInTemplate('single-software')?.tracks,
    rights: {
      maximumConcurrentStreams: null,
      atStreamLimit: 'reject',
      availableFrom: null,
      allowedClientPlatforms: null,
      ...limits,
    },
  });
  const rental = { licensePolicyTemplate: 'rental' };
  const { policy } = await start(rental);
  expect(policy).toMatchObject(limits);
  const evaluation = playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest(rental));
  expect((await evaluation.expect(200)).body.policy).toEqual(policy);
});

test('release.url and renewal.url are the routes of the session', async () => {
  const { sessionId, release, renewal } = await start();
  expect(release.url).toBe(`${base()}/sessions/${sessionId}/release`);
  expect(renewal).toEqual({
    url: `${base()}/sessions/${sessionId}/renew`,
    method: 'POST',
    authorizationScheme: 'Bearer',
    intervalSeconds: 7200,
  });
});

test('renewal is absent if the session cannot be renewed', async () => {
  await use({ maximumSessionSeconds: 14_400 });
  expect(await start()).not.toHaveProperty('renewal');
});

test('policy shows the resolved policy: height, track types, template and stream limit', async () => {
  expect((await start({ licensePolicyTemplate: 'multi-tier-standard' })).policy).toEqual({
    maximumHeight: 2160,
    allowedTrackTypes: ['AUDIO', 'SD', 'HD', 'UHD1'],
    template: 'multi-tier-standard',
    maximumConcurrentStreams: 3,
  });
});

test('policy.template is null for a custom policy, and policy.maximumConcurrentStreams is null without a limit', async () => {
  await use({ maximumConcurrentStreams: null });
  const { policy } = await start({ licensePolicy: { maximumHeight: 576 } });
  expect(policy).toEqual({
    maximumHeight: 576,
    allowedTrackTypes: ['AUDIO', 'SD'],
    template: null,
    maximumConcurrentStreams: null,
  });
});

test.each([2160, 480, 144])(
  'a client hint of %i lines neither raises nor lowers policy.maximumHeight',
  async (hint) => {
    const { policy } = await start({ platformCapabilities: { maximumHeight: hint } });
    expect(policy).toMatchObject({ maximumHeight: 1080, allowedTrackTypes: ['AUDIO', 'SD', 'HD'] });
  },
);

test('policy.allowedTrackTypes depend on the heights that the environment sets', async () => {
  await use({ trackTypeHeights: { SD: 480, HD: 720, UHD1: 1440, UHD2: 4320 } });
  const policyAt = async (maximumHeight: number) =>
    (await start({ licensePolicyTemplate: undefined, licensePolicy: { maximumHeight } })).policy.allowedTrackTypes;
  expect(await policyAt(480)).toEqual(['AUDIO', 'SD']);
  expect(await policyAt(481)).toEqual(['AUDIO', 'SD', 'HD']);
});

test.each([
  ['more than one', ['en', 'de-CH'], true],
  ['one', ['en'], false],
  ['no', [], false],
])('tracks.audio with %s language is selectable: %s %s', async (_count, audioLanguages, selectable) => {
  await use({}, { audioLanguages });
  const { tracks } = await start();
  expect(tracks).toMatchObject({ languageTagStandard: 'BCP 47', audio: { selectable, languages: audioLanguages } });
});

test.each([
  ['one', ['en'], true],
  ['no', [], false],
])('tracks.subtitles with %s language are selectable: %s %s', async (_count, subtitleLanguages, selectable) => {
  await use({}, { subtitleLanguages });
  expect((await start()).tracks.subtitles).toEqual({ selectable, languages: subtitleLanguages });
});

test('every URL is built from the configured public URL, regardless of the request headers', async () => {
  const { body } = await playback
    .create(tenant, sessionRequest({ drmSystem: 'fairplay' }))
    .set({ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example;proto=http' })
    .set('X-Forwarded-Proto', 'http')
    .expect(200);
  expect(JSON.stringify(body)).not.toContain('evil.example');
  const { drm, release, renewal } = body;
  for (const url of [drm.licenseServerUrl, drm.fairPlayCertificateUrl, release.url, renewal.url]) {
    expect(url.startsWith(`${base()}/`)).toBe(true);
  }
});

test('the key set of /.well-known/jwks.json may be cached for five minutes', async () => {
  const { headers, body } = await supertest(playback.app).get('/.well-known/jwks.json').expect(200);
  expect(headers['cache-control']).toBe('public, max-age=300');
  expect(body.keys).toEqual([expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })]);
});
