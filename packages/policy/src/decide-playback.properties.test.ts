import {
  type ContentDocument,
  drmSystems,
  type EndUserDocument,
  type LicenseProfileDocument,
  type PlaybackSchemas,
  trackTypes,
} from '@multi-drm/contracts';
import fc from 'fast-check';
import { findBuiltInTemplate } from './built-in-templates';
import { type Decision, decidePlayback, type PlaybackFacts } from './decide-playback';
import { layerPolicyOf } from './policy-layer';
import { effectiveStreamLimit } from './stream-limit-step';
import { strictestRules } from './strictest-rules';
import { contentWith, environmentWith, factsWith, now, organization, profileWith, type Rights } from './testing/facts';
import { beginsWithin } from './track-heights';

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 1 });
const timeBetween = (min: number, max: number) =>
  fc.integer({ min, max }).map((hours) => new Date(now.getTime() + hours * 3_600_000).toISOString());
const platforms = ['web', 'ios', 'android'];
const anyDrmSystem = fc.constantFrom(...drmSystems);

const anyDrmRules = fc.record({
  widevine: fc.record({
    securityLevel: fc.integer({ min: 1, max: 5 }),
    hdcp: fc.constantFrom('none' as const, '1.0', '1.4', '2.2'),
  }),
  playready: fc.record({
    securityLevel: fc.constantFrom(150 as const, 2000, 3000),
    outputProtection: fc.constantFrom('none' as const, 'hdcp', 'hdcp-type1'),
  }),
  fairplay: fc.record({ hdcp: fc.constantFrom('none' as const, 'type0', 'type1') }),
  wiseplay: fc.record({ securityLevel: fc.integer({ min: 1, max: 2 }), outputControl: fc.integer({ min: 0, max: 2 }) }),
});
// At least two, so that policies and ceilings often overlap.
const anyTracks: fc.Arbitrary<PlaybackSchemas['TrackPolicy'][]> = fc
  .subarray([...trackTypes], { minLength: 2 })
  .chain((types) => fc.tuple(...types.map((type) => fc.tuple(fc.constant(type), anyDrmRules))))
  .map((tracks) => tracks.map(([type, rules]) => ({ trackTypes: [type], ...rules })));
const anyHeight = fc.constantFrom(480, 576, 720, 1080, 2160, 4320);
const anyLimit = fc.integer({ min: 1, max: 5 });
const anyRights: fc.Arbitrary<Rights> = fc.record({
  maximumConcurrentStreams: optional(anyLimit),
  atStreamLimit: fc.constantFrom('reject' as const, 'evict-oldest'),
  licenseDurationSeconds: optional(fc.integer({ min: 60, max: 90 })),
  playbackDurationSeconds: optional(fc.integer({ min: 60, max: 90 })),
  availableFrom: optional(timeBetween(-3, 1)),
  availableUntil: optional(timeBetween(-1, 3)),
  allowedClientPlatforms: optional(fc.subarray(platforms, { minLength: 2 })),
});
const anyProfile: fc.Arbitrary<LicenseProfileDocument> = fc
  .record({ maximumHeight: anyHeight, tracks: anyTracks, rights: optional(anyRights) })
  .map((change) => profileWith(change));
const anyCustom = fc.record(
  {
    maximumHeight: anyHeight,
    tracks: anyTracks,
    maximumConcurrentStreams: anyLimit,
    licenseDurationSeconds: fc.integer({ min: 60, max: 90 }),
    playbackDurationSeconds: fc.integer({ min: 60, max: 90 }),
    atStreamLimit: fc.constantFrom('reject' as const, 'evict-oldest' as const),
  },
  { requiredKeys: [] },
);
const anyHints: fc.Arbitrary<NonNullable<PlaybackSchemas['PlatformCapabilities']>> = fc.record(
  {
    clientPlatform: optional(fc.constantFrom(...platforms, 'toaster')),
    drmSystems: optional(fc.subarray([...drmSystems], { minLength: 2 })),
    manifestTypes: optional(fc.subarray(['dash', 'hls'], { minLength: 1 })),
    maximumHeight: optional(fc.integer({ min: 144, max: 4320 })),
    persistentState: optional(fc.boolean()),
    sdkVersion: optional(fc.string()),
  },
  { requiredKeys: [] },
);
const anySelection = fc.oneof(
  anyCustom.map((licensePolicy) => ({ licensePolicy })),
  fc.constantFrom('one', 'two', 'single-software', 'multi-tier-standard').map((licensePolicyTemplate) => ({
    licensePolicyTemplate,
  })),
  fc.constant({}),
);
const anyRequest: fc.Arbitrary<PlaybackFacts['request']> = fc
  .tuple(anySelection, anyDrmSystem, fc.boolean(), anyHints)
  .map(([selection, drmSystem, useEnvironmentDefaults, platformCapabilities]) => ({
    contentType: 'vod',
    drmSystem,
    useEnvironmentDefaults,
    platformCapabilities,
    ...selection,
  }));
const anyEnvironment = fc
  .record({
    defaultLicensePolicyTemplate: fc.constantFrom(null, 'one', 'two', 'single-hdcp', 'single-hardware'),
    maximumConcurrentStreams: optional(anyLimit),
    trackTypeHeights: fc.constantFrom(
      { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 },
      { SD: 480, HD: 720, UHD1: 1440, UHD2: 4320 },
    ),
  })
  .map((settings) => environmentWith(settings));
const anyViewer: fc.Arbitrary<EndUserDocument | null> = optional(
  fc.record({
    userId: fc.constant('9b0d9a51-1f0e-4d0b-9a53-0f9a4c1f2b77'),
    environmentId: fc.constant(environmentWith().environmentId),
    status: fc.constant('active' as const),
    maximumConcurrentStreams: optional(anyLimit),
  }),
);
const anyContent: fc.Arbitrary<ContentDocument> = fc
  .record({ status: fc.constantFrom(...Array<'published'>(5).fill('published'), 'draft' as const) })
  .map(({ status }) => contentWith({ status, licenseProfileName: 'studio' }));

/** Arbitrary decisions under a ceiling, mostly for requests that are allowed. */
const anyFacts: fc.Arbitrary<PlaybackFacts & { ceiling: LicenseProfileDocument }> = fc
  .record({
    request: anyRequest,
    environment: anyEnvironment,
    viewer: anyViewer,
    content: anyContent,
    ceiling: anyProfile,
    one: anyProfile,
    two: anyProfile,
  })
  .map(({ one, two, ...facts }) => ({
    ...factsWith({ organization }),
    ...facts,
    findTemplate: (name) => findBuiltInTemplate(name) ?? { one: layerPolicyOf(one), two: layerPolicyOf(two) }[name],
  }));

const runs = { numRuns: 1_000 };

test('enough of the decisions below allow playback', () => {
  const decisions = fc.sample(anyFacts, { numRuns: 500, seed: 1 }).map((facts) => decidePlayback(facts, now));
  expect(decisions.filter(({ allowed }) => allowed).length).toBeGreaterThan(100);
});

const withSteps = ({ explanation, ...decision }: Decision) => ({ ...decision, steps: explanation.steps() });

test('resolving is deterministic and does not change its facts', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { findTemplate, findLicenseRefusal, ...documents } = facts;
      const earlier = structuredClone(documents);
      expect(withSteps(decidePlayback(facts, now))).toEqual(withSteps(decidePlayback(facts, now)));
      expect(documents).toEqual(earlier);
    }),
    runs,
  );
});

test('a client hint can cause a refusal but never changes the policy', () => {
  fc.assert(
    fc.property(anyFacts, anyHints, (facts, platformCapabilities) => {
      const one = decidePlayback(facts, now);
      const other = decidePlayback({ ...facts, request: { ...facts.request, platformCapabilities } }, now);
      if (one.allowed && other.allowed) expect(one.policy).toEqual(other.policy);
    }),
    runs,
  );
});

/** Expects each value of a policy to be within the ceiling. */
function expectWithin(decision: Decision, facts: PlaybackFacts, ceiling: LicenseProfileDocument) {
  if (!decision.allowed) return;
  const { policy, sources } = decision;
  const { rights } = ceiling;
  const { limit } = effectiveStreamLimit({ policy, sources, viewer: facts.viewer });
  expect(policy.maximumHeight).toBeLessThanOrEqual(ceiling.maximumHeight);
  for (const { trackType, ...rules } of policy.tracks) {
    const allowed = ceiling.tracks.find((track) => track.trackTypes.includes(trackType));
    expect(beginsWithin(trackType, ceiling.maximumHeight, facts.environment.settings.trackTypeHeights)).toBe(true);
    const { trackTypes: _types, ...ceilingRules } = allowed ?? { trackTypes: [] };
    expect(strictestRules(rules, ceilingRules)).toEqual(rules);
    expect(rules[facts.request.drmSystem]).toBeDefined();
  }
  if (rights === null) return;
  expect(limit ?? Infinity).toBeLessThanOrEqual(rights.maximumConcurrentStreams ?? Infinity);
  const policyLimit = policy.maximumConcurrentStreams ?? Infinity;
  expect(policyLimit).toBeLessThanOrEqual(rights.maximumConcurrentStreams ?? Infinity);
  expect(policy.licenseDurationSeconds ?? Infinity).toBeLessThanOrEqual(rights.licenseDurationSeconds ?? Infinity);
  expect(policy.playbackDurationSeconds ?? Infinity).toBeLessThanOrEqual(rights.playbackDurationSeconds ?? Infinity);
  if (rights.atStreamLimit === 'reject') expect(policy.atStreamLimit).toBe('reject');
  if (rights.availableFrom !== null) {
    expect(Date.parse(policy.availableFrom ?? '')).toBeGreaterThanOrEqual(Date.parse(rights.availableFrom));
  }
  if (rights.availableUntil !== null) {
    expect(Date.parse(policy.availableUntil ?? '')).toBeLessThanOrEqual(Date.parse(rights.availableUntil));
  }
  if (rights.allowedClientPlatforms !== null) {
    expect(rights.allowedClientPlatforms).toEqual(expect.arrayContaining(policy.allowedClientPlatforms ?? ['any']));
  }
}

test("no value exceeds the content's ceiling, for any policy, viewer and environment", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => expectWithin(decidePlayback(facts, now), facts, facts.ceiling)),
    runs,
  );
});

test('a ceiling only restricts: what plays under it also plays without it', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const beneath = decidePlayback(facts, now);
      const without = decidePlayback({ ...facts, content: contentWith(), ceiling: null }, now);
      if (beneath.allowed) expect(without.allowed).toBe(true);
      if (beneath.allowed && without.allowed) {
        expect(beneath.policy.maximumHeight).toBeLessThanOrEqual(without.policy.maximumHeight);
        expect(without.policy.allowedTrackTypes).toEqual(expect.arrayContaining(beneath.policy.allowedTrackTypes));
      }
    }),
    runs,
  );
});

test('the steps agree with the decision', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const decision = decidePlayback(facts, now);
      const steps = decision.explanation.steps();
      const refused = steps.filter(({ outcome }) => outcome === 'refused');
      const last = (rule: string) => steps.filter((step) => step.rule === rule).at(-1);
      if (decision.allowed) {
        expect(refused).toEqual([]);
        expect(steps.at(-1)?.rule).toBe('license_backend');
      } else {
        expect(refused).toEqual([steps.at(-1)]);
        expect(refused[0]?.detail).toBe(decision.refusal.detail);
      }
      if (decision.policy === null) return;
      const { maximumHeight, allowedTrackTypes, maximumConcurrentStreams: streams } = decision.policy;
      expect(last('maximum_height')?.detail).toBe(`At most ${maximumHeight} lines.`);
      expect(last('track_types')?.detail).toBe(`Allowed: ${allowedTrackTypes.join(', ')}.`);
      expect(last('stream_limit')?.detail).toContain(
        streams === null ? 'No stream limit' : `At most ${streams} concurrent streams`,
      );
      if (!decision.allowed) return;
      expect(last('maximum_height')?.source).toBe(decision.sources.maximumHeight);
      expect(last('stream_limit')?.source).toBe(decision.sources.maximumConcurrentStreams);
      expect(last('client_platforms')?.source).toBe(decision.sources.allowedClientPlatforms);
    }),
    runs,
  );
});
