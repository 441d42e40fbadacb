import type { LicenseProfileDocument, PlaybackSchemas, ProblemCode } from '@multi-drm/contracts';
import { decidePlayback, type PlaybackFacts } from './decide-playback';
import type { ResolvedPolicy } from './resolved-policy';
import { contentWith, factsWith, now, profileWith, type Rights, rightsWith } from './testing/facts';

type LicensePolicy = PlaybackSchemas['LicensePolicy'];

const widevine = { securityLevel: 1, hdcp: 'none' } as const;
const custom: LicensePolicy = {
  maximumHeight: 2160,
  tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD', 'UHD1'], widevine, fairplay: { hdcp: 'type0' } }],
  atStreamLimit: 'reject',
  maximumConcurrentStreams: 4,
  licenseDurationSeconds: 600,
};

function decideBeneath(ceiling: LicenseProfileDocument | null, change: LicensePolicy = {}, hints = {}) {
  const request: PlaybackFacts['request'] = {
    contentType: 'vod',
    drmSystem: 'widevine',
    licensePolicy: { ...custom, ...change },
    platformCapabilities: hints,
  };
  return decidePlayback(factsWith({ request, ceiling, content: contentWith({ licenseProfileName: 'studio' }) }), now);
}

const policyBeneath = (change: Partial<LicenseProfileDocument>, licensePolicy: LicensePolicy = {}) =>
  decideBeneath(profileWith(change), licensePolicy, { clientPlatform: 'web' }).policy;

test('a ceiling without restrictions changes nothing', () => {
  const bounded = policyBeneath({});
  expect(bounded).toMatchObject({ maximumHeight: 2160, allowedTrackTypes: ['AUDIO', 'SD', 'HD', 'UHD1'] });
  expect(bounded).toMatchObject({ maximumConcurrentStreams: 4, streamCeiling: null, licenseDurationSeconds: 600 });
  expect(bounded?.tracks[1]).toEqual({ trackType: 'SD', widevine, fairplay: { hdcp: 'type0' } });
});

test.each<[string, Partial<LicenseProfileDocument>, LicensePolicy, Partial<ResolvedPolicy>]>([
  [
    'the lowest height, with its track types',
    { maximumHeight: 1080 },
    {},
    { maximumHeight: 1080, allowedTrackTypes: ['AUDIO', 'SD', 'HD'] },
  ],
  [
    "the selected policy's height if it is lower",
    { maximumHeight: 1080 },
    { maximumHeight: 576 },
    { maximumHeight: 576, allowedTrackTypes: ['AUDIO', 'SD'] },
  ],
  [
    'only the track types that both allow',
    { tracks: [{ trackTypes: ['HD', 'SD', 'UHD2'], widevine }] },
    {},
    { allowedTrackTypes: ['SD', 'HD'] },
  ],
])('the strictest of each value applies: %s', (_case, ceiling, selected, expected) => {
  expect(policyBeneath(ceiling, selected)).toMatchObject(expected);
});

test('the strictest of each value applies: rules by track type and DRM system', () => {
  const strict = { securityLevel: 5, hdcp: '1.0' } as const;
  const tracks: LicenseProfileDocument['tracks'] = [
    { trackTypes: ['AUDIO', 'SD'], widevine, fairplay: { hdcp: 'none' } },
    { trackTypes: ['HD'], widevine: strict, fairplay: { hdcp: 'type1' } },
  ];
  expect(policyBeneath({ tracks })?.tracks).toEqual([
    { trackType: 'AUDIO', widevine, fairplay: { hdcp: 'type0' } },
    { trackType: 'SD', widevine, fairplay: { hdcp: 'type0' } },
    { trackType: 'HD', widevine: strict, fairplay: { hdcp: 'type1' } },
  ]);
});

test.each<[string, Partial<Rights>, LicensePolicy, Partial<ResolvedPolicy>]>([
  ['fewer streams', { maximumConcurrentStreams: 2 }, {}, { maximumConcurrentStreams: 2, streamCeiling: 2 }],
  [
    "the policy's fewer streams",
    { maximumConcurrentStreams: 9 },
    {},
    { maximumConcurrentStreams: 4, streamCeiling: 9 },
  ],
  ['a shorter license', { licenseDurationSeconds: 60 }, {}, { licenseDurationSeconds: 60 }],
  ["the policy's shorter license", { licenseDurationSeconds: 6_000 }, {}, { licenseDurationSeconds: 600 }],
  ['a playback duration if the policy has none', { playbackDurationSeconds: 60 }, {}, { playbackDurationSeconds: 60 }],
  [
    'reject over evict-oldest',
    { atStreamLimit: 'reject' },
    { atStreamLimit: 'evict-oldest' },
    { atStreamLimit: 'reject' },
  ],
  ["the policy's reject", { atStreamLimit: 'evict-oldest' }, {}, { atStreamLimit: 'reject' }],
  ['evict-oldest if both have it', {}, { atStreamLimit: 'evict-oldest' }, { atStreamLimit: 'evict-oldest' }],
  ['its start', { availableFrom: '2026-01-01T00:00:00Z' }, {}, { availableFrom: '2026-01-01T00:00:00Z' }],
  ['its end', { availableUntil: '2027-01-01T00:00:00Z' }, {}, { availableUntil: '2027-01-01T00:00:00Z' }],
  ['its platforms', { allowedClientPlatforms: ['web'] }, {}, { allowedClientPlatforms: ['web'] }],
])('the strictest of each right applies: %s', (_case, rights, selected, expected) => {
  expect(policyBeneath({ rights: rightsWith(rights) }, selected)).toMatchObject(expected);
});

test.each<[string, LicenseProfileDocument | null, LicensePolicy, ProblemCode, string]>([
  ['does not exist', null, {}, 'license_policy_template_not_found', '"studio" does not exist'],
  [
    'has no rules for the DRM system',
    profileWith({ tracks: [{ trackTypes: ['AUDIO', 'SD'], fairplay: { hdcp: 'none' } }] }),
    {},
    'license_policy_invalid',
    'has no widevine rules for AUDIO',
  ],
  [
    'allows no video track type of the policy',
    profileWith({ tracks: [{ trackTypes: ['AUDIO', 'UHD2'], widevine }] }),
    {},
    'license_policy_invalid',
    'allows no usable track type of AUDIO, SD, HD, UHD1',
  ],
  [
    'is below every video track type of the policy',
    profileWith({ maximumHeight: 576 }),
    { tracks: [{ trackTypes: ['AUDIO', 'HD'], widevine }] },
    'license_policy_invalid',
    'allows no usable track type of AUDIO, HD',
  ],
  [
    'does not allow audio, the only track type of the policy',
    profileWith({ tracks: [{ trackTypes: ['SD'], widevine }] }),
    { tracks: [{ trackTypes: ['AUDIO'], widevine }] },
    'license_policy_invalid',
    'allows no usable track type of AUDIO',
  ],
  [
    'repeats a track type',
    profileWith({ tracks: [{ trackTypes: ['SD', 'SD'], widevine }] }),
    {},
    'license_policy_invalid',
    'repeats SD',
  ],
])('content does not play if its license profile %s', (_case, ceiling, selected, code, detail) => {
  const decision = decideBeneath(ceiling, selected);
  expect(decision).toMatchObject({ allowed: false, refusal: { code, detail: expect.stringContaining(detail) } });
  expect(decision.explanation.steps().at(-1)).toMatchObject({ rule: 'content_ceiling', outcome: 'refused' });
});

test('the source changes only for values that the ceiling sets', () => {
  const ceiling = profileWith({ maximumHeight: 1080, rights: rightsWith({ licenseDurationSeconds: 6_000 }) });
  const steps = decideBeneath(ceiling).explanation.steps();
  const ceilingSteps = steps.filter(({ outcome, source }) => outcome === 'applied' && source.includes('studio'));
  expect(ceilingSteps.map(({ rule }) => rule)).toEqual(['maximum_height', 'track_types', 'track_rules']);
});
