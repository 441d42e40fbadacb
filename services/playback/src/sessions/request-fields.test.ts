import { randomUUID } from 'node:crypto';
import { type ContentDocument, drmSystems } from '@multi-drm/contracts';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeContent, makeTenant } from '../testing/published-tenant';

let playback: Playback;
const tenant = makeTenant({ maximumConcurrentStreams: null });
const { environmentId } = tenant.environment;

const content = (contentId: string, change: Partial<ContentDocument> = {}): ContentDocument => {
  const every: ContentDocument['manifests'][number] = {
    type: 'dash',
    url: 'https://cdn.example.com/any.mpd',
    drmSystems: [...drmSystems],
  };
  return { ...makeContent(environmentId, contentId), manifests: [every], ...change };
};

beforeAll(async () => {
  playback = await startPlayback();
  for (const kind of ['vod', 'live', 'audio', 'document'] as const) {
    await playback.publish({ ...tenant, content: content(kind, { kind }) });
  }
  await playback.publish({ ...tenant, content: content('lesson-0042') });
});

const create = (overrides: object) => playback.create(tenant, sessionRequest(overrides));
const bytes = (count: number) => ({ x: 'y'.repeat(count - '{"x":""}'.length) });
const hints = (platformCapabilities: unknown) => ({ platformCapabilities });

test.each(['contentId', 'contentType', 'drmSystem', 'subject'])('%s is required', async (field) => {
  const { body } = await create({ [field]: undefined }).expect(400);
  expect(body).toMatchObject({ code: 'invalid_request', errors: { [field]: ['is required'] } });
});

test('everything but contentId, contentType, drmSystem, subject and a policy is optional', async () => {
  const { contentId, contentType, drmSystem, subject } = sessionRequest();
  const request = { contentId, contentType, drmSystem, subject, licensePolicyTemplate: 'single-software' };
  const { body } = await playback.create(tenant, request).expect(200);
  expect(body).toMatchObject({ contentId, contentType, drmSystem, playbackMode: 'streaming' });
});

const optionalFields = [
  ...['sessionId', 'replacesSessionId', 'playbackMode', 'licensePolicyTemplate', 'licensePolicy'],
  ...['applicationId', 'attemptId', 'reporting', 'platformCapabilities'],
];

describe('a create accepts', () => {
  test.each<[string, object]>([
    ['contentType vod for content registered as vod', { contentId: 'vod', contentType: 'vod' }],
    ['contentType live for content registered as live', { contentId: 'live', contentType: 'live' }],
    ['drmSystem widevine', { drmSystem: 'widevine' }],
    ['drmSystem playready', { drmSystem: 'playready' }],
    ['drmSystem fairplay', { drmSystem: 'fairplay' }],
    ['drmSystem wiseplay', { drmSystem: 'wiseplay' }],
    ['sessionId with every kind of character', { sessionId: `${randomUUID()}AZaz09._~-` }],
    ['playbackMode streaming', { playbackMode: 'streaming' }],
    ['applicationId of 128 characters', { applicationId: 'é'.repeat(128) }],
    ['attemptId of 128 characters', { attemptId: 'é'.repeat(128) }],
    ['null for every optional field', Object.fromEntries(optionalFields.map((field) => [field, null]))],
    ['empty applicationId and attemptId', { applicationId: '', attemptId: '' }],
    ['reporting of 1 KiB of JSON', { reporting: bytes(1024) }],
    ['reporting with any JSON', { reporting: { course: { id: 7, tags: ['a', null] }, flag: true } }],
    ['platformCapabilities null', hints(null)],
    ['platformCapabilities without members', hints({})],
    ['platformCapabilities with every known field null', hints({ ...nulls(), secureDecoder: null })],
    ['platformCapabilities with unknown fields', hints({ secureDecoder: true, hdr: ['pq'], codecs: { av1: 1 } })],
    ['platformCapabilities.maximumHeight 144', hints({ maximumHeight: 144 })],
    ['platformCapabilities.maximumHeight 4320', hints({ maximumHeight: 4320 })],
    ['platformCapabilities.clientPlatform of 64 characters', hints({ clientPlatform: 'x'.repeat(64) })],
    ['an unknown platformCapabilities.clientPlatform', hints({ clientPlatform: 'smart-fridge' })],
    ['platformCapabilities.manifestTypes with an unknown one', hints({ manifestTypes: ['cmaf-next', 'dash'] })],
    ['platformCapabilities.drmSystems with an unknown one', hints({ drmSystems: ['chinadrm', 'widevine'] })],
    ['licensePolicy.maximumHeight 1', { licensePolicy: { maximumHeight: 1 } }],
    ['licensePolicy.maximumHeight 4320', { licensePolicy: { maximumHeight: 4320 } }],
  ])('%s', async (_row, overrides) => {
    await create(overrides).expect(200);
  });
});

function nulls() {
  const fields = ['clientPlatform', 'drmSystems', 'manifestTypes', 'maximumHeight', 'persistentState', 'sdkVersion'];
  return Object.fromEntries(fields.map((field) => [field, null]));
}

describe('a create rejects by path', () => {
  test.each<[string, string, object]>([
    ['contentType', 'audio', { contentId: 'audio', contentType: 'audio' }],
    ['contentType', 'document', { contentId: 'document', contentType: 'document' }],
    ['contentType', 'in capitals', { contentType: 'VOD' }],
    ['drmSystem', 'clearkey', { drmSystem: 'clearkey' }],
    ['sessionId', 'with a colon', { sessionId: `${randomUUID()}:` }],
    ['sessionId', 'with a space', { sessionId: `${randomUUID()} x` }],
    ['subject', 'null', { subject: null }],
    ['license_policy', 'null, because it is not a field', { license_policy: null }],
    ['licensePolicyTemplate', 'empty', { licensePolicyTemplate: '' }],
    ['sessionId', 'empty', { sessionId: '' }],
    ['licensePolicy.tracks[0].trackTypes', 'null', { licensePolicy: { tracks: [{ trackTypes: null }] } }],
    ['platformCapabilities.drmSystems[0]', 'null', hints({ drmSystems: [null] })],
    ['applicationId', 'of 129 characters', { applicationId: 'x'.repeat(129) }],
    ['attemptId', 'of 129 characters', { attemptId: 'x'.repeat(129) }],
    ['reporting', 'of 1025 bytes', { reporting: bytes(1025) }],
    ['reporting', 'of 1025 bytes in fewer characters', { reporting: { x: `${'é'.repeat(508)}y` } }],
    ['reporting', 'a list', { reporting: [] }],
    ['useEnvironmentDefaults', 'a string', { useEnvironmentDefaults: 'true' }],
    ['platformCapabilities', 'a list', hints([])],
    ['platformCapabilities.maximumHeight', '143', hints({ maximumHeight: 143 })],
    ['platformCapabilities.maximumHeight', '4321', hints({ maximumHeight: 4321 })],
    ['platformCapabilities.maximumHeight', 'not an integer', hints({ maximumHeight: 720.5 })],
    ['platformCapabilities.clientPlatform', 'of 65 characters', hints({ clientPlatform: 'x'.repeat(65) })],
    ['platformCapabilities.manifestTypes[0]', 'of 65 characters', hints({ manifestTypes: ['x'.repeat(65)] })],
    ['platformCapabilities.persistentState', 'a string', hints({ persistentState: 'yes' })],
    ['licensePolicy.maximumHeight', '0', { licensePolicy: { maximumHeight: 0 } }],
    ['licensePolicy.maximumHeight', '4321', { licensePolicy: { maximumHeight: 4321 } }],
    ['licensePolicy.maximumHeight', 'not an integer', { licensePolicy: { maximumHeight: 720.5 } }],
    ['licensePolicy.maximunHeight', 'mistyped', { licensePolicy: { maximunHeight: 480 } }],
    ['maximumHeight', 'at the top level', { maximumHeight: 480 }],
    ['license_policy', 'mistyped', { license_policy: { maximumHeight: 480 } }],
  ])('%s %s', async (path, _what, overrides) => {
    const { body } = await create(overrides).expect(400);
    expect(body.code).toBe('invalid_request');
    expect(Object.keys(body.errors)).toEqual([path]);
  });
});

describe('a create refuses with the code of the rule', () => {
  test.each<[string, object, string]>([
    ['contentType live for vod', { contentId: 'vod', contentType: 'live' }, 'content_type_mismatch'],
    ['contentType vod for live', { contentId: 'live', contentType: 'vod' }, 'content_type_mismatch'],
    ['audio content as live', { contentId: 'audio', contentType: 'live' }, 'content_type_mismatch'],
    ['document content as vod', { contentId: 'document', contentType: 'vod' }, 'content_type_mismatch'],
    ['document content as live', { contentId: 'document', contentType: 'live' }, 'content_type_mismatch'],
    ['a drmSystem that the player lacks', hints({ drmSystems: ['playready'] }), 'drm_system_not_supported'],
    ['an empty platformCapabilities.drmSystems', hints({ drmSystems: [] }), 'drm_system_not_supported'],
    ['an empty platformCapabilities.manifestTypes', hints({ manifestTypes: [] }), 'manifest_not_available'],
    ['unknown manifestTypes', hints({ manifestTypes: ['cmaf-next'] }), 'manifest_not_available'],
    ['playbackMode offline', { playbackMode: 'offline' }, 'playback_mode_not_supported'],
  ])('%s: %s', async (_row, overrides, code) => {
    expect((await create(overrides).expect(422)).body.code).toBe(code);
  });
});

test('applicationId, attemptId and reporting are stored with the session and do not affect the decision', async () => {
  const kept = { applicationId: 'lms', attemptId: 'attempt-7', reporting: { course: 'algebra' } };
  const evaluate = (overrides: object) =>
    playback.asClient(tenant, 'post', '/sessions/evaluations').send(sessionRequest(overrides));
  expect((await evaluate(kept).expect(200)).body).toEqual((await evaluate({}).expect(200)).body);

  const subject = `viewer-${randomUUID()}`;
  const { body: session } = await create({ ...kept, subject }).expect(200);
  const { body: list } = await playback.asClient(tenant, 'get', `/sessions?subject=${subject}`).expect(200);
  expect(list.items).toMatchObject([{ sessionId: session.sessionId, ...kept }]);
});
