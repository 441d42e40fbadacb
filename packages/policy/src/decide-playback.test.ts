import type { EndUserDocument, ProblemCode } from '@multi-drm/contracts';
import { findBuiltInTemplate } from './built-in-templates';
import { decidePlayback, type PlaybackFacts } from './decide-playback';
import type { Rule, Source } from './decision-step';
import { layerPolicyOf } from './policy-layer';
import { contentWith, environmentWith, factsWith, now, organization, profileWith, rightsWith } from './testing/facts';

const blocked: EndUserDocument = {
  userId: '9b0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77',
  environmentId: environmentWith().environmentId,
  status: 'blocked',
  maximumConcurrentStreams: null,
};
const request = factsWith().request;

/** Every rule fails at first, in the order of the checks; each case below fixes all those before it. */
const broken: [ProblemCode, Rule, Source, mend: (facts: PlaybackFacts) => Partial<PlaybackFacts>][] = [
  [
    'policy_selection_conflict',
    'policy_selection',
    'request',
    ({ request: { licensePolicy: _, ...request } }) => ({ request: { ...request, licensePolicyTemplate: 'gold' } }),
  ],
  [
    'license_policy_template_not_found',
    'policy_selection',
    'environment',
    ({ environment }) => ({ environment: { ...environment, settings: environmentWith().settings } }),
  ],
  [
    'license_policy_template_not_found',
    'policy_selection',
    'request',
    ({ request }) => ({
      findTemplate: () => ({ tracks: [] }),
      request: { ...request, useEnvironmentDefaults: false },
    }),
  ],
  [
    'license_policy_invalid',
    'policy_rules',
    'license profile "gold"',
    () => gold(rightsWith({ availableUntil: '2026-01-01T00:00:00Z' })),
  ],
  ['environment_suspended', 'organization_status', 'organization', () => ({ organization })],
  ['subject_blocked', 'viewer_status', 'end user', () => ({ viewer: null })],
  [
    'content_not_found',
    'content_found',
    'content',
    () => ({ content: contentWith({ kind: 'live', status: 'draft', licenseProfileName: 'studio', manifests: [] }) }),
  ],
  [
    'playback_mode_not_supported',
    'playback_mode',
    'request',
    ({ request }) => ({ request: { ...request, playbackMode: 'streaming' } }),
  ],
  [
    'drm_system_not_supported',
    'player_drm_systems',
    'request',
    ({ request }) => ({ request: { ...request, platformCapabilities: {} } }),
  ],
  ['drm_system_not_supported', 'environment_drm_systems', 'environment', () => ({ environment: environmentWith() })],
  [
    'content_type_mismatch',
    'content_type',
    'content',
    ({ request }) => ({ request: { ...request, contentType: 'live' } }),
  ],
  [
    'content_not_published',
    'content_published',
    'content',
    () => ({ content: contentWith({ kind: 'live', licenseProfileName: 'studio', manifests: [] }) }),
  ],
  [
    'content_not_available',
    'content_available',
    'license profile "gold"',
    () => gold(rightsWith({ allowedClientPlatforms: ['web'] })),
  ],
  [
    'client_platform_not_allowed',
    'client_platform',
    'license profile "gold"',
    ({ request }) => ({ request: { ...request, platformCapabilities: { clientPlatform: 'web' } } }),
  ],
  ['license_policy_template_not_found', 'content_ceiling', 'content', () => ({ ceiling: profileWith() })],
  ['manifest_not_available', 'manifests', 'content', () => ({ content: contentWith({ kind: 'live' }) })],
];

/** The template "gold" is a license profile with these rights. */
function gold(rights: ReturnType<typeof rightsWith>): Partial<PlaybackFacts> {
  return { findTemplate: () => layerPolicyOf(profileWith({ name: 'gold', rights })) };
}

function brokenUpTo(mended: number): PlaybackFacts {
  let facts = factsWith({
    request: {
      ...request,
      licensePolicyTemplate: 'gold',
      licensePolicy: {},
      playbackMode: 'offline',
      platformCapabilities: { drmSystems: [] },
    },
    environment: { ...environmentWith({ defaultLicensePolicyTemplate: 'silver' }), drmSystems: [] },
    organization: null,
    viewer: blocked,
    content: null,
    findTemplate: findBuiltInTemplate,
  });
  for (const [, , , mend] of broken.slice(0, mended)) facts = { ...facts, ...mend(facts) };
  return facts;
}

test.each(broken.map(([code, rule, source], index) => ({ code, rule, source, index })))(
  'check $index is $rule from $source: $code, before all later ones',
  ({ code, rule, source, index }) => {
    const decision = decidePlayback(brokenUpTo(index), now);
    expect(decision).toMatchObject({ allowed: false, refusal: { code } });
    expect(decision.explanation.steps().at(-1)).toMatchObject({ rule, source, outcome: 'refused' });
    expect(
      decision.explanation
        .steps()
        .slice(0, -1)
        .map(({ outcome }) => outcome),
    ).not.toContain('refused');
    expect(decision.policy === null).toBe(index < 4);
  },
);

test('if every rule passes, playback is allowed', () => {
  expect(decidePlayback(brokenUpTo(broken.length), now).allowed).toBe(true);
});

test('a decision has a step for each rule and each value, in order', () => {
  const decision = decidePlayback(factsWith(), now);
  expect(decision.explanation.steps().map(({ rule, outcome }) => `${rule} ${outcome}`)).toEqual([
    'policy_selection passed',
    'policy_rules passed',
    'maximum_height applied',
    'track_types applied',
    'track_rules applied',
    'stream_limit applied',
    'stream_ceiling applied',
    'at_stream_limit applied',
    'license_duration applied',
    'playback_duration applied',
    'available_from applied',
    'available_until applied',
    'client_platforms applied',
    'organization_status passed',
    'viewer_status passed',
    'content_found passed',
    'playback_mode passed',
    'player_drm_systems passed',
    'environment_drm_systems passed',
    'content_type passed',
    'content_published passed',
    'content_available passed',
    'client_platform passed',
    'content_ceiling passed',
    'manifests passed',
    'license_backend passed',
  ]);
});

test('a refusal includes the steps before it', () => {
  const decision = decidePlayback(factsWith({ request: { ...request, contentType: 'live' } }), now);
  expect(
    decision.explanation
      .steps()
      .slice(-6)
      .map(({ rule }) => rule),
  ).toEqual([
    'viewer_status',
    'content_found',
    'playback_mode',
    'player_drm_systems',
    'environment_drm_systems',
    'content_type',
  ]);
});

describe('each value names its source', () => {
  const rights = rightsWith({
    maximumConcurrentStreams: 2,
    atStreamLimit: 'reject',
    licenseDurationSeconds: 600,
    playbackDurationSeconds: 60,
    availableUntil: '2027-01-01T00:00:00Z',
    allowedClientPlatforms: ['web'],
  });
  const house = profileWith({ name: 'house', rights: rightsWith({ availableFrom: '2026-01-01T00:00:00Z' }) });
  const decision = decidePlayback(
    factsWith({
      request: {
        contentType: 'vod',
        drmSystem: 'widevine',
        useEnvironmentDefaults: true,
        licensePolicy: { maximumHeight: 1080, licenseDurationSeconds: 300 },
        platformCapabilities: { clientPlatform: 'web' },
      },
      environment: environmentWith({ defaultLicensePolicyTemplate: 'house' }),
      content: contentWith({ licenseProfileName: 'studio' }),
      ceiling: profileWith({ rights }),
      findTemplate: () => layerPolicyOf(house),
    }),
    now,
  );

  test.each<[Rule, Source, string]>([
    ['maximum_height', 'custom policy', 'At most 1080 lines.'],
    ['track_types', 'license profile "house"', 'Allowed: AUDIO, SD, HD.'],
    ['track_rules', 'license profile "house"', 'widevine: AUDIO securityLevel 1, hdcp none; SD'],
    ['stream_limit', 'license profile "studio"', 'At most 2 concurrent streams.'],
    ['stream_ceiling', 'license profile "studio"', 'At most 2 concurrent streams'],
    ['at_stream_limit', 'license profile "studio"', 'refused (reject)'],
    ['license_duration', 'custom policy', '300 seconds.'],
    ['playback_duration', 'license profile "studio"', '60 seconds.'],
    ['available_from', 'license profile "house"', 'From 2026-01-01T00:00:00Z.'],
    ['available_until', 'license profile "studio"', 'Until 2027-01-01T00:00:00Z.'],
    ['client_platforms', 'license profile "studio"', 'Allowed: web.'],
  ])('%s: %s', (rule, source, detail) => {
    expect(decision.allowed).toBe(true);
    const last = decision.explanation
      .steps()
      .filter((step) => step.rule === rule)
      .at(-1);
    expect(last).toEqual({ rule, source, outcome: 'applied', detail: expect.stringContaining(detail) });
  });
});

test.each<[string, Source, PlaybackFacts['request']]>([
  ['built-in templates', 'built-in template "single-hdcp"', { ...request, licensePolicyTemplate: 'single-hdcp' }],
  ['the default used as the policy', 'built-in template "single-software"', request],
])('%s are named as the source', (_case, source, selecting) => {
  const steps = decidePlayback(factsWith({ request: selecting }), now).explanation.steps();
  expect(steps.find(({ rule }) => rule === 'maximum_height')?.source).toBe(source);
});

test("the environment's stream limit and unset values name their source", () => {
  const steps = decidePlayback(factsWith(), now).explanation.steps();
  expect(steps.find(({ rule }) => rule === 'stream_limit')?.source).toBe('environment');
  expect(steps.find(({ rule }) => rule === 'at_stream_limit')?.source).toBe('service default');
});

test('a profile that the content does not name has no effect', () => {
  const ceiling = profileWith({ rights: rightsWith({ availableUntil: '2026-01-01T00:00:00Z' }) });
  expect(decidePlayback(factsWith({ ceiling }), now).allowed).toBe(true);
});
