import { decidePlayback } from './decide-playback';
import { passed, refused } from './decision-step';
import { Explanation } from './explanation';
import { changedValueSteps } from './policy-value-steps';
import { resolveLayers } from './resolve-policy';
import type { Resolution } from './resolved-policy';
import { contentWith, environmentWith, factsWith, now, profileWith, rightsWith } from './testing/facts';

const widevine = { securityLevel: 1, hdcp: 'none' as const };

function resolutionWith(change: Partial<Resolution['policy']> = {}): Resolution {
  const tracks = [{ trackTypes: ['SD' as const], widevine, fairplay: { hdcp: 'none' as const } }];
  const selected = { source: 'custom policy' as const, template: null, policy: { maximumHeight: 480, tracks } };
  const context = { drmSystem: 'widevine' as const, environment: environmentWith(), audioOnly: false };
  const resolved = resolveLayers({ selected, beneath: null }, context);
  if (resolved.outcome === 'refused') throw new Error(resolved.detail);
  return { ...resolved.found, policy: { ...resolved.found.policy, ...change } };
}

test('a rule that passed writes its text only when the steps are asked for', () => {
  const detail = jest.fn(() => 'The viewer is not blocked.');
  const explanation = new Explanation('widevine');
  explanation.add(passed('viewer_status', 'end user', detail));
  expect(detail).not.toHaveBeenCalled();
  const step = { rule: 'viewer_status', source: 'end user', outcome: 'passed', detail: 'The viewer is not blocked.' };
  expect(explanation.steps()).toEqual([step]);
});

test('a decision writes no value of its policy unless the steps are asked for', () => {
  const facts = factsWith({
    content: contentWith({ licenseProfileName: 'studio' }),
    ceiling: profileWith({ maximumHeight: 480, rights: rightsWith({ allowedClientPlatforms: null }) }),
  });
  // Lists of track types and manifests are joined in every text that shows them.
  const join = jest.spyOn(Array.prototype, 'join');
  const decision = decidePlayback(facts, now);
  const joinedBefore = join.mock.calls.length;
  decision.explanation.steps();
  const joinedAfter = join.mock.calls.length;
  join.mockRestore();
  expect(decision.allowed).toBe(true);
  expect(joinedBefore).toBe(0);
  expect(joinedAfter).toBeGreaterThan(0);
});

test('checks end at the first refusal, which is the last step', () => {
  const explanation = new Explanation('widevine');
  const never = jest.fn(() => passed('manifests', 'content', () => ''));
  const refusal = refused('content_published', 'content', 'content_not_published', 'The content is a draft.');
  const first = () => passed('content_type', 'content', () => 'The content is registered as vod.');
  expect(explanation.addUntilRefused(first, () => refusal, never)).toBe(refusal);
  expect(never).not.toHaveBeenCalled();
  expect(explanation.steps().map(({ rule, outcome }) => `${rule} ${outcome}`)).toEqual([
    'content_type passed',
    'content_published refused',
  ]);
});

test.each<[string, Partial<Resolution['policy']>, string[]]>([
  ['nothing', {}, []],
  ['an equal list', { allowedTrackTypes: ['SD'], allowedClientPlatforms: null }, []],
  ['the height', { maximumHeight: 360 }, ['maximum_height']],
  ['a list', { allowedClientPlatforms: [] }, ['client_platforms']],
  ['a duration that was not set', { licenseDurationSeconds: 60 }, ['license_duration']],
  [
    "the DRM system's rules",
    { tracks: [{ trackType: 'SD', widevine: { ...widevine, hdcp: '2.2' }, fairplay: { hdcp: 'none' } }] },
    ['track_rules'],
  ],
  ["another DRM system's rules", { tracks: [{ trackType: 'SD', widevine, fairplay: { hdcp: 'type1' } }] }, []],
])('steps for what changed: %s', (_case, change, rules) => {
  const steps = changedValueSteps(resolutionWith(), resolutionWith(change), 'widevine');
  expect(steps.map(({ rule }) => rule)).toEqual(rules);
});
