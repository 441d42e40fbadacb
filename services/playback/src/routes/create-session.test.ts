import { randomUUID } from 'node:crypto';
import type { PlaybackSchemas } from '@multi-drm/contracts';
import { createLocalJWKSet, jwtVerify } from 'jose';
import supertest from 'supertest';
import { type Playback, publicUrl, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
});

const capabilities = { clientPlatform: 'web', maximumHeight: 1080, persistentState: false, sdkVersion: '1.2.0' };

test('an LMS that sends a template with the environment defaults gets every field of Contract v1', async () => {
  const { environment, content } = tenant;
  const { body, headers } = await playback
    .create(tenant, {
      contentId: 'lesson-0042',
      contentType: 'vod',
      drmSystem: 'widevine',
      subject: 'lms:3f9c:17',
      playbackMode: 'streaming',
      useEnvironmentDefaults: true,
      applicationId: 'lms',
      platformCapabilities: { ...capabilities, drmSystems: ['widevine'], manifestTypes: ['dash'] },
      licensePolicyTemplate: 'single-software',
    })
    .expect(200);

  const base = `${publicUrl}/api/v1/playback/environments/${environment.environmentId}`;
  expect(headers['cache-control']).toBe('no-store');
  expect(body).toEqual({
    contractVersion: 1,
    sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    contentId: 'lesson-0042',
    contentType: 'vod',
    drmSystem: 'widevine',
    playbackMode: 'streaming',
    manifestUrl: 'https://cdn.example.com/42/manifest.mpd',
    manifestUrls: [content.manifests[0]],
    expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    serverTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    drm: {
      system: 'widevine',
      integrationMode: 'direct-token',
      licenseServerUrl: `${base}/licenses/widevine`,
      drmLicenseToken: expect.any(String),
      tokenType: 'Bearer',
      robustness: { AUDIO: 'SW_SECURE_CRYPTO', SD: 'SW_SECURE_CRYPTO', HD: 'SW_SECURE_CRYPTO' },
      tokenExpiresAt: expect.any(String),
      keySystems: ['com.widevine.alpha'],
      keyIds: [content.keys[0]?.keyId],
    },
    release: { url: `${base}/sessions/${body.sessionId}/release`, method: 'POST', authorizationScheme: 'Bearer' },
    renewal: {
      url: `${base}/sessions/${body.sessionId}/renew`,
      method: 'POST',
      authorizationScheme: 'Bearer',
      intervalSeconds: 7200,
    },
    policy: {
      maximumHeight: 1080,
      allowedTrackTypes: ['AUDIO', 'SD', 'HD'],
      template: 'single-software',
      maximumConcurrentStreams: 3,
    },
    tracks: {
      languageTagStandard: 'BCP 47',
      audio: { selectable: true, languages: ['en', 'de-CH'] },
      subtitles: { selectable: true, languages: ['en'] },
    },
  });
  expect(Date.parse(body.expiresAt) - Date.parse(body.serverTime)).toBe(14_400_000);
});

test('a player SDK that sends null capabilities gets a FairPlay session with a certificate URL', async () => {
  const { body } = await playback
    .create(tenant, {
      contentId: 'lesson-0042',
      contentType: 'vod',
      drmSystem: 'fairplay',
      subject: 'viewer-81c2',
      sessionId: '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77',
      platformCapabilities: {
        ...capabilities,
        maximumHeight: 2160,
        secureDecoder: null,
        drmSystems: ['fairplay'],
        manifestTypes: ['hls'],
      },
      useEnvironmentDefaults: true,
    })
    .expect(200);

  expect(body.sessionId).toBe('5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77');
  expect(body.manifestUrl).toBe('https://cdn.example.com/42/main.m3u8');
  expect(body.policy.maximumHeight).toBe(1080);
  expect(body.drm.fairPlayCertificateUrl).toBe(
    `${publicUrl}/api/v1/playback/environments/${tenant.environment.environmentId}/certificates/fairplay`,
  );
});

test('a DRM system with a vendor backend has its own key systems', async () => {
  tenant.environment.drmSystems = [{ drmSystem: 'widevine', enabled: true, backend: 'some-vendor' }];
  await playback.publish(tenant);
  const { body } = await playback.create(tenant, sessionRequest()).expect(200);
  expect(body.drm.keySystems).toEqual(['com.widevine.alpha']);
});

test('the license token verifies against the published keys with another JWT library', async () => {
  const request = sessionRequest();
  const { body: session } = await playback.create(tenant, request).expect(200);
  const { body: keySet, headers } = await supertest(playback.app).get('/.well-known/jwks.json').expect(200);

  const { payload, protectedHeader } = await jwtVerify(session.drm.drmLicenseToken, createLocalJWKSet(keySet), {
    issuer: publicUrl,
    audience: `${publicUrl}/api/v1/playback`,
    typ: 'drm-license+jwt',
    algorithms: ['ES256'],
  });

  expect(headers['cache-control']).toBe('public, max-age=300');
  expect(protectedHeader.kid).toBe(keySet.keys[0].kid);
  expect(payload).toMatchObject({
    sub: request.subject,
    sid: session.sessionId,
    env: tenant.environment.environmentId,
    cid: 'lesson-0042',
    drm: 'widevine',
    exp: Math.floor(Date.parse(session.expiresAt) / 1000),
  });
});

async function repeat(request: object, key?: string): Promise<PlaybackSchemas['PlaybackSessionResponse']> {
  const call = playback.create(tenant, request);
  const { body } = await (key === undefined ? call : call.set('Idempotency-Key', key)).expect(200);
  return body;
}

test('a repeated request returns the same session, with a fresh token', async () => {
  const request = sessionRequest({ sessionId: randomUUID() });
  const first = await repeat(request);
  const second = await repeat(Object.fromEntries(Object.entries(request).reverse()));
  expect(second.expiresAt).toBe(first.expiresAt);
  expect(second.drm.drmLicenseToken).not.toBe(first.drm.drmLicenseToken);
});

test('a repeated Idempotency-Key returns the same session if the request names none', async () => {
  const request = sessionRequest();
  const first = await repeat(request, 'attempt-1');
  expect((await repeat(request, 'attempt-1')).sessionId).toBe(first.sessionId);
  expect((await repeat(request, 'attempt-2')).sessionId).not.toBe(first.sessionId);
});

test('a repeated request without a session id and without an Idempotency-Key creates another session', async () => {
  const request = sessionRequest();
  expect((await repeat(request)).sessionId).not.toBe((await repeat(request)).sessionId);
});

test('a session whose token cannot be signed holds no slot', async () => {
  let broken = true;
  const newTokenId = () => {
    if (broken) throw new Error('the generator is broken');
    return randomUUID();
  };
  const failing = await startPlayback({ tokens: { newTokenId } });
  const own = makeTenant({ maximumConcurrentStreams: 1 });
  await failing.publish(own);
  const request = sessionRequest({ sessionId: randomUUID() });

  const { body } = await failing.create(own, request).expect(500);
  broken = false;
  await failing.create(own, { ...request, sessionId: randomUUID() }).expect(200);

  expect(body.code).toBe('internal_error');
  expect(JSON.stringify(body)).not.toContain('generator');
});

test('the next session uses content that was published again', async () => {
  await playback.create(tenant, sessionRequest()).expect(200);
  tenant.content.manifests = [{ type: 'dash', url: 'https://cdn.example.com/new.mpd', drmSystems: ['widevine'] }];
  await playback.publish(tenant);
  // The change message and the request use different connections: poll until the message has arrived.
  for (;;) {
    const { body } = await playback.create(tenant, sessionRequest()).expect(200);
    if (body.manifestUrl === 'https://cdn.example.com/new.mpd') break;
  }
});
