import type { ContentDocument, EndUserDocument, OrganizationDocument, ProblemCode } from '@multi-drm/contracts';
import { decidePlayback, type PlaybackFacts } from './decide-playback';
import { contentWith, environmentWith, factsWith, now, organization } from './testing/facts';

type Request = PlaybackFacts['request'];

const environment = {
  ...environmentWith(),
  drmSystems: [
    { drmSystem: 'widevine' as const, enabled: true, backend: 'http' },
    { drmSystem: 'playready' as const, enabled: false, backend: null },
  ],
};
const decide = (change: Partial<Request>, registered: Partial<ContentDocument>, facts: Partial<PlaybackFacts> = {}) => {
  const request: Request = { contentType: 'vod', drmSystem: 'widevine', useEnvironmentDefaults: true, ...change };
  return decidePlayback(factsWith({ request, environment, content: contentWith(registered), ...facts }), now);
};

test.each<[string, Partial<Request>, Partial<ContentDocument>]>([
  ['no hints and no mode', {}, {}],
  ['streaming', { playbackMode: 'streaming' }, {}],
  ['null hints', { platformCapabilities: null }, {}],
  ['null DRM systems', { platformCapabilities: { drmSystems: null } }, {}],
  ['a DRM system that the player supports', { platformCapabilities: { drmSystems: ['fairplay', 'widevine'] } }, {}],
  ['an additional unknown DRM system', { platformCapabilities: { drmSystems: ['widevine', 'chinadrm'] } }, {}],
  ['a live channel', { contentType: 'live' }, { kind: 'live' }],
  ['audio as vod', {}, { kind: 'audio' }],
])('%s may play', (_case, change, registered) => {
  expect(decide(change, registered).allowed).toBe(true);
});

test.each<[string, Partial<Request>, Partial<ContentDocument>, ProblemCode, string]>([
  ['another mode', { playbackMode: 'offline' }, {}, 'playback_mode_not_supported', 'playbackMode'],
  ['a mode in capitals', { playbackMode: 'Streaming' }, {}, 'playback_mode_not_supported', 'playbackMode'],
  [
    'a DRM system that the player lacks',
    { platformCapabilities: { drmSystems: ['fairplay'] } },
    {},
    'drm_system_not_supported',
    'platformCapabilities.drmSystems',
  ],
  [
    'a player without DRM systems',
    { platformCapabilities: { drmSystems: [] } },
    {},
    'drm_system_not_supported',
    'platformCapabilities.drmSystems',
  ],
  ['a disabled DRM system', { drmSystem: 'playready' }, {}, 'drm_system_not_supported', 'playready is not enabled'],
  [
    'a DRM system that the environment lacks',
    { drmSystem: 'wiseplay' },
    {},
    'drm_system_not_supported',
    'wiseplay is not enabled',
  ],
  ['live for a vod', { contentType: 'live' }, {}, 'content_type_mismatch', 'registered as vod'],
  ['vod for a live channel', {}, { kind: 'live' }, 'content_type_mismatch', 'registered as live'],
  ['audio as live', { contentType: 'live' }, { kind: 'audio' }, 'content_type_mismatch', 'which plays as vod'],
  ['a document as vod', {}, { kind: 'document' }, 'content_type_mismatch', 'no playback sessions for documents'],
  [
    'a document as live',
    { contentType: 'live' },
    { kind: 'document' },
    'content_type_mismatch',
    'no playback sessions for documents',
  ],
  ['a draft', {}, { status: 'draft' }, 'content_not_published', 'draft'],
  [
    'a wrong mode before a wrong DRM system',
    { playbackMode: 'offline', drmSystem: 'wiseplay' },
    {},
    'playback_mode_not_supported',
    '',
  ],
  [
    'a wrong DRM system before a wrong type',
    { drmSystem: 'wiseplay', contentType: 'live' },
    {},
    'drm_system_not_supported',
    '',
  ],
  ['a wrong type before a draft', { contentType: 'live' }, { status: 'draft' }, 'content_type_mismatch', ''],
])('%s is refused', (_case, change, registered, code, detail) => {
  expect(decide(change, registered)).toMatchObject({
    allowed: false,
    refusal: { code, detail: expect.stringContaining(detail) },
  });
});

const suspended: OrganizationDocument = { ...organization, status: 'suspended' };
const viewer: EndUserDocument = {
  userId: '9b0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77',
  environmentId: environment.environmentId,
  status: 'active',
  maximumConcurrentStreams: null,
};

test.each<[string, Partial<PlaybackFacts>, ProblemCode]>([
  ['an unknown organization', { organization: null }, 'environment_suspended'],
  ['a pending organization', { organization: { ...organization, status: 'pending' } }, 'environment_suspended'],
  ['a suspended organization', { organization: suspended }, 'environment_suspended'],
  ['a blocked viewer', { viewer: { ...viewer, status: 'blocked' } }, 'subject_blocked'],
  ['unknown content', { content: null }, 'content_not_found'],
])('%s is refused', (_case, facts, code) => {
  expect(decide({}, {}, facts)).toMatchObject({ allowed: false, refusal: { code } });
});

test.each([
  ['a viewer that was never synchronized', null],
  ['an active viewer', viewer],
])('%s may play', (_case, checkedViewer) => {
  expect(decide({}, {}, { viewer: checkedViewer }).allowed).toBe(true);
});
