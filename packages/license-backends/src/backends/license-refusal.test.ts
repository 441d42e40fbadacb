import { builtInTemplates } from '@multi-drm/policy';
import { everyFake } from '../testing/every-fake';
import { backendSettings, createBackend } from './create-backend';
import type { ContentKey, DrmSystem, TrackType } from './license-backend';
import { licenseRefusal } from './license-refusal';
import { templatePolicy } from './template-policy';
import { callOf } from './testing/calls';

const keyOf = (trackTypes: TrackType[], isKept = true) => ({
  keyId: '10000000-0000-4000-8000-0000000000a0',
  trackTypes,
  isKept,
});
const video = [keyOf(['AUDIO', 'SD', 'HD', 'UHD1'])];
const audio = [keyOf(['AUDIO'])];
const tracksOf = (template: string, drmSystem: DrmSystem) => templatePolicy(template, drmSystem).tracks;
const audioOnly = (drmSystem: DrmSystem) =>
  tracksOf('single-software', drmSystem).map((track) => ({ ...track, trackTypes: ['AUDIO' as const] }));

const software = 'single-software';
const standard = 'multi-tier-standard';

test.each<[string, DrmSystem, string, ReturnType<typeof keyOf>[], string | null, RegExp | null]>([
  ['drmtoday', 'wiseplay', software, video, null, null],
  [
    'drmtoday',
    'wiseplay',
    standard,
    video,
    'license_policy_invalid',
    /cannot enforce the policy: WisePlay security level 2/,
  ],
  ['drmtoday', 'widevine', standard, [], null, null],
  ['clearkey', 'widevine', software, video, null, null],
  ['clearkey', 'widevine', software, [], 'drm_system_not_supported', /requires stored content keys/],
  [
    'clearkey',
    'widevine',
    software,
    [keyOf(['SD'], false)],
    'drm_system_not_supported',
    /requires stored content keys/,
  ],
  ['clearkey', 'widevine', software, [keyOf(['UHD2'])], 'license_policy_invalid', /decrypts an allowed track/],
  ['axinom', 'widevine', software, [keyOf(['SD'], false)], null, null],
  ['axinom', 'widevine', software, [], 'drm_system_not_supported', /requires key ids/],
  ['axinom', 'widevine', software, [keyOf(['UHD2'])], 'license_policy_invalid', /decrypts an allowed track/],
  ['axinom', 'wiseplay', software, video, 'drm_system_not_supported', /does not serve wiseplay/],
  ['widevine-proxy', 'widevine', software, [], null, null],
  ['widevine-proxy', 'widevine', software, [keyOf(['UHD2'])], 'license_policy_invalid', /decrypts an allowed track/],
  ['widevine-proxy', 'fairplay', software, video, 'drm_system_not_supported', /does not serve fairplay/],
  ['http', 'wiseplay', standard, [], null, null],
  ['of-a-newer-control-plane', 'widevine', software, [], null, null],
  ['constructor', 'widevine', software, [], null, null],
])('%s, %s under %s with keys %j: %j', (type, drmSystem, template, keys, code, detail) => {
  const refusal = licenseRefusal(type, { drmSystem, tracks: tracksOf(template, drmSystem), keys });
  expect(refusal?.code ?? null).toBe(code);
  if (detail !== null) expect(refusal?.detail).toMatch(detail);
});

test.each<[string, DrmSystem, boolean]>([
  ['clearkey', 'widevine', true],
  ['widevine-proxy', 'widevine', true],
  ['axinom', 'fairplay', true],
  ['drmtoday', 'playready', true],
  ['http', 'wiseplay', true],
  ['doverunner', 'widevine', false],
  ['doverunner', 'fairplay', false],
])('%s issues %s licenses for audio only: %j', (type, drmSystem, isGiven) => {
  const refusal = licenseRefusal(type, { drmSystem, tracks: audioOnly(drmSystem), keys: audio });
  expect(refusal).toEqual(
    isGiven
      ? null
      : {
          code: 'drm_system_not_supported',
          detail:
            "The environment's license backend cannot issue a license for the content: DoveRunner has no license for audio only.",
        },
  );
});

test('a rule that DoveRunner has no field for is reported as an invalid policy', () => {
  const tracks = [{ trackTypes: ['SD' as const], widevine: { securityLevel: 1, hdcp: '2.3' as const } }];
  expect(licenseRefusal('doverunner', { drmSystem: 'widevine', tracks, keys: [] })).toEqual({
    code: 'license_policy_invalid',
    detail: "The environment's license backend cannot enforce the policy: HDCP 2.3.",
  });
});

const keyLists = { none: [], audio, video, high: [keyOf(['UHD2'], false)] };
const policies = (drmSystem: DrmSystem) => [
  ...[...builtInTemplates.keys()].map((template) => tracksOf(template, drmSystem)),
  audioOnly(drmSystem),
];

test.each(everyFake.map(({ settings, drmSystem }) => ({ settings, drmSystem, type: settings.type })))(
  '$type, $drmSystem: a refusal is reported if and only if the backend makes no request',
  ({ settings, drmSystem, type }) => {
    const backend = createBackend(backendSettings.parse(settings), () => 'policy');
    for (const tracks of policies(drmSystem)) {
      for (const planned of Object.values(keyLists)) {
        const keys: ContentKey[] = planned.map(({ keyId, trackTypes }) => ({ keyId, trackTypes, key: null }));
        const call = callOf(drmSystem, { keys, policy: { ...templatePolicy(software, drmSystem), tracks } });
        const answer = () => backend.prepare(call);
        const refusal = licenseRefusal(type, { drmSystem, tracks, keys: planned });
        if (refusal === null) expect(answer()).toHaveProperty('makeRequest');
        else
          expect(answer).toThrow(expect.objectContaining({ code: 'license_backend_refused', detail: refusal.detail }));
      }
    }
  },
);
