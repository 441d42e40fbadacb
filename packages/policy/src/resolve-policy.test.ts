import { type EnvironmentDocument, type PlaybackSchemas, type ProblemCode, trackTypes } from '@multi-drm/contracts';
import fc from 'fast-check';
import type { LayerPolicy } from './policy-layer';
import type { PolicySelection } from './select-layers';
import { environmentWith, resolvePolicy } from './testing/facts';

type LicensePolicy = PlaybackSchemas['LicensePolicy'];

const widevine = { securityLevel: 1, hdcp: 'none' } as const;
const custom: LicensePolicy = { maximumHeight: 1080, tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine }] };
/** A policy that sets every member, as a license profile may. */
const gold: LicensePolicy = {
  maximumHeight: 2160,
  tracks: [{ trackTypes: ['SD', 'UHD1'], widevine: { securityLevel: 5, hdcp: '2.2' } }],
  maximumConcurrentStreams: 5,
  atStreamLimit: 'reject',
  licenseDurationSeconds: 3600,
  playbackDurationSeconds: 7200,
};
const goldDefault = environmentWith({ defaultLicensePolicyTemplate: 'gold' });
const templates = new Map<string, LayerPolicy>([
  ['gold', gold],
  ['low', { maximumHeight: 480 }],
]);

const resolve = (selection: Omit<PolicySelection, 'drmSystem'>, environment = environmentWith()) =>
  resolvePolicy({ drmSystem: 'widevine', ...selection }, environment, (name) => templates.get(name));

const problem = (code: ProblemCode, detail: string) =>
  expect.objectContaining({ name: 'Problem', code, detail: expect.stringContaining(detail) });

describe('the selected policy', () => {
  test.each<[string, Omit<PolicySelection, 'drmSystem'>, string | null]>([
    ['a template by its name', { licensePolicyTemplate: 'gold' }, 'gold'],
    ['a template over the default', { licensePolicyTemplate: 'gold', useEnvironmentDefaults: true }, 'gold'],
    ['an unnamed custom policy', { licensePolicy: custom }, null],
    ['a custom policy over the default', { licensePolicy: {}, useEnvironmentDefaults: true }, null],
    ['the default if nothing else is selected', { useEnvironmentDefaults: true }, 'gold'],
  ])('is %s', (_case, selection, template) => {
    expect(resolve(selection, goldDefault).template).toBe(template);
  });

  test('has the members that the policy sets, with its track rules in the fixed order', () => {
    const tracks: LicensePolicy['tracks'] = [
      { trackTypes: ['HD'], widevine: { securityLevel: 3, hdcp: '1.0' }, fairplay: { hdcp: 'type0' } },
      { trackTypes: ['SD', 'AUDIO'], widevine },
    ];
    expect(resolve({ licensePolicy: { ...gold, tracks } })).toEqual({
      template: null,
      licenseProfileId: null,
      maximumHeight: 2160,
      allowedTrackTypes: ['AUDIO', 'SD', 'HD'],
      tracks: [
        { trackType: 'AUDIO', widevine },
        { trackType: 'SD', widevine },
        { trackType: 'HD', widevine: { securityLevel: 3, hdcp: '1.0' }, fairplay: { hdcp: 'type0' } },
      ],
      maximumConcurrentStreams: 5,
      streamCeiling: null,
      atStreamLimit: 'reject',
      licenseDurationSeconds: 3600,
      playbackDurationSeconds: 7200,
      availableFrom: null,
      availableUntil: null,
      allowedClientPlatforms: null,
    });
  });

  test('rejects at the stream limit by default', () => {
    expect(resolve({ licensePolicy: custom }).atStreamLimit).toBe('reject');
  });

  test('omits durations that no policy sets', () => {
    expect(Object.keys(resolve({ licensePolicy: custom }))).not.toContain('licenseDurationSeconds');
  });
});

describe('over the default', () => {
  const over = (licensePolicy: LicensePolicy) => resolve({ licensePolicy, useEnvironmentDefaults: true }, goldDefault);

  test.each<[keyof LicensePolicy, LicensePolicy]>([
    ['maximumHeight', { maximumHeight: 1440 }],
    ['maximumConcurrentStreams', { maximumConcurrentStreams: 1 }],
    ['licenseDurationSeconds', { licenseDurationSeconds: 60 }],
    ['playbackDurationSeconds', { playbackDurationSeconds: 60 }],
  ])('a set %s overrides the default and the rest stays', (_member, licensePolicy) => {
    expect(over(licensePolicy)).toEqual({ ...over({}), ...licensePolicy });
  });

  test('set tracks replace those of the default entirely', () => {
    const tracks = [{ trackTypes: ['HD' as const], widevine }];
    expect(over({ tracks })).toEqual({
      ...over({}),
      allowedTrackTypes: ['HD'],
      tracks: [{ trackType: 'HD', widevine }],
    });
  });

  test('a template overrides the default like a custom policy', () => {
    const policy = resolve({ licensePolicyTemplate: 'low', useEnvironmentDefaults: true }, goldDefault);
    expect(policy).toMatchObject({
      template: 'low',
      maximumHeight: 480,
      allowedTrackTypes: ['SD'],
      licenseDurationSeconds: 3600,
    });
  });

  test('the default is not used unless requested', () => {
    expect(resolve({ licensePolicy: custom }, goldDefault)).not.toHaveProperty('licenseDurationSeconds');
  });

  test('a complete policy is usable if the environment has no default', () => {
    const none = environmentWith({ defaultLicensePolicyTemplate: null });
    expect(resolve({ licensePolicy: custom, useEnvironmentDefaults: true }, none).maximumHeight).toBe(1080);
  });
});

describe('the stream limit', () => {
  test.each<[string, number | undefined, number | null, number | null]>([
    ["the policy's, even if the environment's is lower", 5, 3, 5],
    ["the policy's if the environment has none", 5, null, 5],
    ["the environment's if the policy has none", undefined, 3, 3],
    ['none if neither has one', undefined, null, null],
  ])('is %s', (_case, policyLimit, environmentLimit, expected) => {
    const licensePolicy = policyLimit === undefined ? custom : { ...custom, maximumConcurrentStreams: policyLimit };
    const environment = environmentWith({ maximumConcurrentStreams: environmentLimit });
    expect(resolve({ licensePolicy }, environment).maximumConcurrentStreams).toBe(expected);
  });
});

test('the heights of track types come from the environment', () => {
  const trackTypeHeights = { SD: 480, HD: 720, UHD1: 1440, UHD2: 4320 };
  const licensePolicy: LicensePolicy = { maximumHeight: 721, tracks: tracks(['SD', 'HD', 'UHD1', 'UHD2']) };
  expect(resolve({ licensePolicy }).allowedTrackTypes).toEqual(['SD', 'HD']);
  expect(resolve({ licensePolicy }, environmentWith({ trackTypeHeights })).allowedTrackTypes).toEqual([
    'SD',
    'HD',
    'UHD1',
  ]);
});

const tracks = (...types: PlaybackSchemas['TrackType'][][]) => types.map((trackTypes) => ({ trackTypes, widevine }));
const noDefault = environmentWith({ defaultLicensePolicyTemplate: null });
const unknownDefault = environmentWith({ defaultLicensePolicyTemplate: 'silver' });
const environmentDefault = { useEnvironmentDefaults: true };
type Refusal = [name: string, Omit<PolicySelection, 'drmSystem'>, EnvironmentDocument, detail: string];

test.each<Refusal>([
  ['alone', { licensePolicyTemplate: 'gold', licensePolicy: custom }, noDefault, 'not both'],
  [
    'over the default',
    { licensePolicyTemplate: 'gold', licensePolicy: {}, ...environmentDefault },
    goldDefault,
    'not both',
  ],
])('a template and a custom policy exclude each other: %s', (_case, selection, environment, detail) => {
  expect(() => resolve(selection, environment)).toThrow(problem('policy_selection_conflict', detail));
});

test.each<Refusal>([
  ['selected', { licensePolicyTemplate: 'silver' }, goldDefault, 'licensePolicyTemplate names "silver"'],
  ['selected over the default', { licensePolicyTemplate: 'silver', ...environmentDefault }, goldDefault, '"silver"'],
  ['as the default', environmentDefault, unknownDefault, 'default policy names "silver"'],
  [
    'as the default under a template',
    { licensePolicyTemplate: 'gold', ...environmentDefault },
    unknownDefault,
    'default policy names',
  ],
])('an unknown template is refused: %s', (_case, selection, environment, detail) => {
  expect(() => resolve(selection, environment)).toThrow(problem('license_policy_template_not_found', detail));
});

test.each<Refusal>([
  ['nothing selected', {}, goldDefault, 'Send licensePolicyTemplate, licensePolicy or useEnvironmentDefaults'],
  ['nothing selected, the default declined', { useEnvironmentDefaults: false }, goldDefault, 'useEnvironmentDefaults'],
  ['the default is requested but not set', environmentDefault, noDefault, 'no default policy'],
])('a policy is required: %s', (_case, selection, environment, detail) => {
  expect(() => resolve(selection, environment)).toThrow(problem('license_policy_required', detail));
});

test.each<[name: string, LicensePolicy, detail: string]>([
  ['no height', { tracks: tracks(['SD']) }, 'licensePolicy.maximumHeight is missing'],
  ['no tracks', { maximumHeight: 1080 }, 'licensePolicy.tracks is missing'],
  ['an empty list of tracks', { maximumHeight: 1080, tracks: [] }, 'licensePolicy.tracks names no track type'],
  [
    'a track type in two entries',
    { maximumHeight: 1080, tracks: tracks(['SD', 'HD'], ['HD']) },
    'licensePolicy.tracks[1].trackTypes repeats HD',
  ],
  ['a track type twice above the height', { maximumHeight: 480, tracks: tracks(['SD', 'HD'], ['HD']) }, 'repeats'],
  [
    'a height below every video track type',
    { maximumHeight: 576, tracks: tracks(['AUDIO', 'HD', 'UHD1']) },
    'licensePolicy.maximumHeight (576) is below every video track type',
  ],
  [
    'no rules for the DRM system',
    { maximumHeight: 1080, tracks: [...tracks(['SD']), { trackTypes: ['HD'], fairplay: { hdcp: 'none' } }] },
    'licensePolicy.tracks has no widevine rules for HD',
  ],
])('a custom policy is unusable with %s', (_case, licensePolicy, detail) => {
  expect(() => resolve({ licensePolicy })).toThrow(problem('license_policy_invalid', detail));
});

test('a custom policy must be complete if the environment has no default', () => {
  const incomplete = { licensePolicy: { maximumHeight: 1080 }, useEnvironmentDefaults: true };
  expect(() => resolve(incomplete, noDefault)).toThrow(
    problem('license_policy_invalid', 'licensePolicy.tracks is missing'),
  );
});

test('an unusable template is named', () => {
  const low = () => resolve({ licensePolicyTemplate: 'low' });
  expect(low).toThrow(problem('license_policy_invalid', 'tracks of the policy "low" is missing'));
});

test.each<[string, LicensePolicy]>([
  ['audio only', { maximumHeight: 1, tracks: tracks(['AUDIO']) }],
  [
    'track types above the height without rules for the DRM system',
    { maximumHeight: 576, tracks: [...tracks(['SD']), { trackTypes: ['HD'] }] },
  ],
])('%s is a usable policy', (_case, licensePolicy) => {
  expect(() => resolve({ licensePolicy })).not.toThrow();
});

describe('for any custom policy', () => {
  const anyPolicy = fc.record({
    maximumHeight: fc.integer({ min: 1, max: 4320 }),
    // SD is always included: without it, a low height leaves no video, which is refused.
    tracks: fc
      .shuffledSubarray(['AUDIO', 'HD', 'UHD1', 'UHD2'] as const)
      .map((types) => tracks(['SD'], ...types.map((type) => [type]))),
  });
  const lowest = { AUDIO: 0, SD: 1, HD: 577, UHD1: 1081, UHD2: 2161 };

  test('exactly the named track types that start within the height are allowed, in order', () => {
    fc.assert(
      fc.property(anyPolicy, (licensePolicy) => {
        const named = licensePolicy.tracks.flatMap((track) => track.trackTypes);
        const expected = trackTypes.filter(
          (type) => named.includes(type) && lowest[type] <= licensePolicy.maximumHeight,
        );
        expect(resolve({ licensePolicy }).allowedTrackTypes).toEqual(expected);
      }),
    );
  });
});
