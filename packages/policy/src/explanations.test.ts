import type { EndUserDocument, ProblemCode } from '@multi-drm/contracts';
import { findBuiltInTemplate } from './built-in-templates';
import { decidePlayback, type PlaybackFacts } from './decide-playback';
import type { Rule, Source } from './decision-step';
import { layerPolicyOf } from './policy-layer';
import { contentWith, environmentWith, factsWith, now, organization, profileWith, rightsWith } from './testing/facts';

// Source and detail must be enough for a support engineer to find the cause of a refusal. Every text is tested verbatim.

const { request } = factsWith();
const asking = (change: Partial<PlaybackFacts['request']>) => ({ request: { ...request, ...change } });
const alone = (change: Partial<PlaybackFacts['request']>) => asking({ useEnvironmentDefaults: false, ...change });
const sd = { trackTypes: ['SD' as const], widevine: { securityLevel: 1, hdcp: 'none' as const } };
const hd = { ...sd, trackTypes: ['HD' as const] };
const viewer: EndUserDocument = {
  userId: '9b0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77',
  environmentId: environmentWith().environmentId,
  status: 'blocked',
  maximumConcurrentStreams: null,
};

/** The environment's default is the license profile "house". */
function houseOf(change: Parameters<typeof profileWith>[0]): Partial<PlaybackFacts> {
  const house = layerPolicyOf(profileWith({ name: 'house', ...change }));
  return {
    environment: environmentWith({ defaultLicensePolicyTemplate: 'house' }),
    findTemplate: (name) => (name === 'house' ? house : findBuiltInTemplate(name)),
  };
}

/** The content names the license profile "studio". */
function studioOf(change: Parameters<typeof profileWith>[0]): Partial<PlaybackFacts> {
  return { content: contentWith({ licenseProfileName: 'studio' }), ceiling: profileWith(change) };
}

const cases: Partial<Record<ProblemCode, [Partial<PlaybackFacts>, Rule, Source, detail: string][]>> = {
  policy_selection_conflict: [
    [
      asking({ licensePolicyTemplate: 'single-hdcp', licensePolicy: {} }),
      'policy_selection',
      'request',
      'Send licensePolicyTemplate or licensePolicy, not both.',
    ],
  ],
  license_policy_required: [
    [alone({}), 'policy_selection', 'request', 'Send licensePolicyTemplate, licensePolicy or useEnvironmentDefaults.'],
    [
      { environment: environmentWith({ defaultLicensePolicyTemplate: null }) },
      'policy_selection',
      'environment',
      'The environment has no default policy. Send licensePolicyTemplate or licensePolicy.',
    ],
  ],
  license_policy_template_not_found: [
    [
      asking({ licensePolicyTemplate: 'gold' }),
      'policy_selection',
      'request',
      'licensePolicyTemplate names "gold", which does not exist.',
    ],
    [
      { environment: environmentWith({ defaultLicensePolicyTemplate: 'silver' }) },
      'policy_selection',
      'environment',
      'The environment\'s default policy names "silver", which does not exist.',
    ],
    [
      { content: contentWith({ licenseProfileName: 'studio' }) },
      'content_ceiling',
      'content',
      'The content\'s license profile "studio" does not exist.',
    ],
  ],
  license_policy_invalid: [
    [
      alone({ licensePolicy: { maximumHeight: 480 } }),
      'policy_rules',
      'custom policy',
      'licensePolicy.tracks is missing.',
    ],
    [
      asking({ licensePolicy: { tracks: [sd, sd] } }),
      'policy_rules',
      'custom policy',
      'licensePolicy.tracks[1].trackTypes repeats SD.',
    ],
    [
      { ...asking({ licensePolicy: { maximumHeight: 480 } }), ...houseOf({ tracks: [hd] }) },
      'policy_rules',
      'custom policy',
      'licensePolicy.maximumHeight (480) is below every video track type of the policy.',
    ],
    [
      { ...asking({ licensePolicy: { tracks: [hd] } }), ...houseOf({ maximumHeight: 480 }) },
      'policy_rules',
      'license profile "house"',
      'maximumHeight of the policy "house" (480) is below every video track type of the policy.',
    ],
    [
      { ...asking({ drmSystem: 'fairplay', licensePolicy: { maximumHeight: 480 } }), ...houseOf({ tracks: [sd] }) },
      'policy_rules',
      'license profile "house"',
      'tracks of the policy "house" has no fairplay rules for SD.',
    ],
    [
      studioOf({ tracks: [{ ...sd, trackTypes: ['UHD2'] }] }),
      'content_ceiling',
      'license profile "studio"',
      'tracks of the content\'s license profile "studio" allows no usable track type of AUDIO, SD, HD.',
    ],
    [
      {
        ...alone({ licensePolicy: { maximumHeight: 480, tracks: [sd] } }),
        content: contentWith({ kind: 'audio' }),
      },
      'policy_rules',
      'custom policy',
      'licensePolicy.tracks has no rules for AUDIO, the only track type of the content.',
    ],
  ],
  environment_suspended: [
    [
      { organization: { ...organization, status: 'suspended' } },
      'organization_status',
      'organization',
      'The organization is suspended, so its environments cannot start sessions.',
    ],
    [
      { organization: { ...organization, status: 'pending' } },
      'organization_status',
      'organization',
      'The organization is pending, so its environments cannot start sessions.',
    ],
    [
      { organization: null },
      'organization_status',
      'organization',
      'The organization is unknown, so its environments cannot start sessions.',
    ],
  ],
  subject_blocked: [[{ viewer }, 'viewer_status', 'end user', 'The viewer is blocked.']],
  content_not_found: [[{ content: null }, 'content_found', 'content', 'The environment has no content with this id.']],
  playback_mode_not_supported: [
    [asking({ playbackMode: 'offline' }), 'playback_mode', 'request', 'playbackMode must be streaming.'],
  ],
  drm_system_not_supported: [
    [
      asking({ platformCapabilities: { drmSystems: ['playready'] } }),
      'player_drm_systems',
      'request',
      'widevine is not in platformCapabilities.drmSystems.',
    ],
    [
      { environment: { ...environmentWith(), drmSystems: [] } },
      'environment_drm_systems',
      'environment',
      'widevine is not enabled in this environment.',
    ],
  ],
  content_type_mismatch: [
    [
      { content: contentWith({ kind: 'live' }) },
      'content_type',
      'content',
      'The content is registered as live, not as vod.',
    ],
    [
      { content: contentWith({ kind: 'document' }) },
      'content_type',
      'content',
      'The content is registered as document. Contract v1 has no playback sessions for documents.',
    ],
  ],
  content_not_published: [
    [{ content: contentWith({ status: 'draft' }) }, 'content_published', 'content', 'The content is a draft.'],
  ],
  content_not_available: [
    [
      houseOf({ rights: rightsWith({ availableFrom: '2027-01-01T00:00:00Z' }) }),
      'content_available',
      'license profile "house"',
      'The content is not available before 2027-01-01T00:00:00Z.',
    ],
    [
      studioOf({ rights: rightsWith({ availableUntil: '2026-01-01T00:00:00Z' }) }),
      'content_available',
      'license profile "studio"',
      'The content has not been available since 2026-01-01T00:00:00Z.',
    ],
  ],
  client_platform_not_allowed: [
    [
      { ...asking({ platformCapabilities: { clientPlatform: 'ios' } }), ...studioOf({ rights: onTheWeb() }) },
      'client_platform',
      'license profile "studio"',
      'The policy does not allow the platform "ios".',
    ],
    [
      houseOf({ rights: onTheWeb() }),
      'client_platform',
      'license profile "house"',
      'The policy allows certain platforms only. Send platformCapabilities.clientPlatform.',
    ],
  ],
  manifest_not_available: [
    [{ content: contentWith({ manifests: [] }) }, 'manifests', 'content', 'The content has no manifest for widevine.'],
    [
      asking({ platformCapabilities: { manifestTypes: ['hls'] } }),
      'manifests',
      'content',
      'The content has no manifest for widevine of a type in platformCapabilities.manifestTypes.',
    ],
  ],
};

function onTheWeb() {
  return rightsWith({ allowedClientPlatforms: ['web'] });
}

const rows = Object.entries(cases).flatMap(([code, causes]) =>
  causes.map(([facts, rule, source, detail]) => ({ code, facts, rule, source, detail })),
);

test.each(rows)('$code from $source: $detail', ({ code, facts, rule, source, detail }) => {
  const decision = decidePlayback(factsWith(facts), now);
  expect(decision).toMatchObject({ allowed: false, refusal: { code, detail } });
  expect(decision.explanation.steps().at(-1)).toEqual({ rule, source, outcome: 'refused', detail });
});
