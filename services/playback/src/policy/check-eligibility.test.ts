import type { ContentDocument, EnvironmentDocument, PlaybackSchemas, ProblemCode } from '@multi-drm/contracts';
import { otherSettings } from '../testing/published-tenant';
import { checkEligibility } from './check-eligibility';

type Request = PlaybackSchemas['CreatePlaybackSessionRequest'];

const environment: EnvironmentDocument = {
  environmentId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
  projectId: 'b1b5c1f4-6a52-4f0e-8f0b-0d5f3f8e2c11',
  organizationId: '0e7e0f36-6f0b-4c55-9d5e-6f1a5f2f3d22',
  kind: 'development',
  settings: {
    defaultLicensePolicyTemplate: null,
    sessionLifetimeSeconds: 14400,
    maximumConcurrentStreams: null,
    ...otherSettings,
  },
  drmSystems: [
    { drmSystem: 'widevine', enabled: true, backend: 'clearkey' },
    { drmSystem: 'playready', enabled: false, backend: null },
  ],
};
const content: ContentDocument = {
  contentAssetId: '3c0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77',
  environmentId: environment.environmentId,
  contentId: 'lesson-0042',
  kind: 'vod',
  status: 'published',
  manifests: [],
  keys: [],
  audioLanguages: [],
  subtitleLanguages: [],
  licenseProfileName: null,
};
const request: Request = { contentId: 'lesson-0042', contentType: 'vod', drmSystem: 'widevine', subject: 'viewer' };

test.each<[string, Partial<Request>, Partial<ContentDocument>]>([
  ['no hints and no mode', {}, {}],
  ['streaming', { playbackMode: 'streaming' }, {}],
  ['null hints', { platformCapabilities: null }, {}],
  ['null DRM systems', { platformCapabilities: { drmSystems: null } }, {}],
  ['the DRM system among those of the player', { platformCapabilities: { drmSystems: ['fairplay', 'widevine'] } }, {}],
  ['an unknown DRM system beside it', { platformCapabilities: { drmSystems: ['widevine', 'chinadrm'] } }, {}],
  ['a live channel', { contentType: 'live' }, { kind: 'live' }],
])('%s may play', (_case, change, registered) => {
  expect(() => checkEligibility({ ...request, ...change }, environment, { ...content, ...registered })).not.toThrow();
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
  ['audio', {}, { kind: 'audio' }, 'content_type_mismatch', 'registered as audio'],
  ['a document', { contentType: 'live' }, { kind: 'document' }, 'content_type_mismatch', 'registered as document'],
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
  expect(() => checkEligibility({ ...request, ...change }, environment, { ...content, ...registered })).toThrow(
    expect.objectContaining({ code, detail: expect.stringContaining(detail) }),
  );
});
