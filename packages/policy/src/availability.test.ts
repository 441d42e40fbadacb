import type { ProblemCode } from '@multi-drm/contracts';
import { decidePlayback, type PlaybackFacts } from './decide-playback';
import type { Source } from './decision-step';
import { layerPolicyOf } from './policy-layer';
import { contentWith, environmentWith, factsWith, now, profileWith, type Rights, rightsWith } from './testing/facts';

const before = new Date(now.getTime() - 1).toISOString();
const after = new Date(now.getTime() + 1).toISOString();
const atOnce = now.toISOString();

/** Decides with the rights of the selected profile, the environment's default and the content's profile. */
function decide(
  rights: { selected?: Partial<Rights>; beneath?: Partial<Rights>; ceiling?: Partial<Rights> },
  hints = {},
) {
  const profile = (name: string, change: Partial<Rights> = {}) => profileWith({ name, rights: rightsWith(change) });
  const profiles = [profile('selected', rights.selected), profile('beneath', rights.beneath)];
  const request: PlaybackFacts['request'] = {
    contentType: 'vod',
    drmSystem: 'widevine',
    licensePolicyTemplate: 'selected',
    useEnvironmentDefaults: true,
    platformCapabilities: hints,
  };
  const facts = factsWith({
    request,
    environment: environmentWith({ defaultLicensePolicyTemplate: 'beneath' }),
    content: contentWith({ licenseProfileName: 'ceiling' }),
    ceiling: profile('ceiling', rights.ceiling),
    findTemplate: (name) => profiles.filter((candidate) => candidate.name === name).map(layerPolicyOf)[0],
  });
  return decidePlayback(facts, now);
}

describe('the availability window', () => {
  test.each<[string, Partial<Rights>]>([
    ['from now on', { availableFrom: atOnce }],
    ['until a moment later', { availableUntil: after }],
    ['around now', { availableFrom: before, availableUntil: after }],
    ['with another precision', { availableFrom: '2026-06-15T12:00:00Z' }],
  ])('is open %s', (_case, selected) => {
    expect(decide({ selected }).allowed).toBe(true);
  });

  test.each<[string, Parameters<typeof decide>[0], Source]>([
    ['that opens a moment later', { selected: { availableFrom: after } }, 'license profile "selected"'],
    ['that ends now', { selected: { availableUntil: atOnce } }, 'license profile "selected"'],
    ["of the environment's default", { beneath: { availableUntil: before } }, 'license profile "beneath"'],
    ['of the content', { ceiling: { availableFrom: after } }, 'license profile "ceiling"'],
    [
      'of the content within a wider one',
      { selected: { availableFrom: before }, ceiling: { availableFrom: after } },
      'license profile "ceiling"',
    ],
  ])('refuses if there is one %s', (_case, rights, source) => {
    const decision = decide(rights);
    expect(decision).toMatchObject({ allowed: false, refusal: { code: 'content_not_available' } });
    expect(decision.explanation.steps().at(-1)).toMatchObject({
      rule: 'content_available',
      source,
      outcome: 'refused',
    });
  });
});

describe('platforms', () => {
  test.each<[string, Parameters<typeof decide>[0], object]>([
    ['an unnamed one without restrictions', {}, {}],
    ['any without restrictions', {}, { clientPlatform: 'toaster' }],
    ['one of the list', { selected: { allowedClientPlatforms: ['web', 'ios'] } }, { clientPlatform: 'ios' }],
    [
      'one of every list',
      { beneath: { allowedClientPlatforms: ['web', 'ios'] }, ceiling: { allowedClientPlatforms: ['ios', 'tizen'] } },
      { clientPlatform: 'ios' },
    ],
  ])('allow %s', (_case, rights, hints) => {
    expect(decide(rights, hints).allowed).toBe(true);
  });

  const code: ProblemCode = 'client_platform_not_allowed';
  test.each<[string, Parameters<typeof decide>[0], object, Source]>([
    [
      'one not in the list',
      { selected: { allowedClientPlatforms: ['web'] } },
      { clientPlatform: 'ios' },
      'license profile "selected"',
    ],
    [
      'another case',
      { selected: { allowedClientPlatforms: ['web'] } },
      { clientPlatform: 'Web' },
      'license profile "selected"',
    ],
    ['none sent', { selected: { allowedClientPlatforms: ['web'] } }, {}, 'license profile "selected"'],
    [
      'null sent',
      { beneath: { allowedClientPlatforms: ['web'] } },
      { clientPlatform: null },
      'license profile "beneath"',
    ],
    [
      'one that the content does not allow',
      { selected: { allowedClientPlatforms: ['web', 'ios'] }, ceiling: { allowedClientPlatforms: ['web'] } },
      { clientPlatform: 'ios' },
      'license profile "ceiling"',
    ],
    [
      'any if two lists have nothing in common',
      { selected: { allowedClientPlatforms: ['web'] }, ceiling: { allowedClientPlatforms: ['ios'] } },
      { clientPlatform: 'web' },
      'license profile "ceiling"',
    ],
    [
      'any if the list is empty',
      { selected: { allowedClientPlatforms: [] } },
      { clientPlatform: 'web' },
      'license profile "selected"',
    ],
  ])('refuse %s', (_case, rights, hints, source) => {
    const decision = decide(rights, hints);
    expect(decision).toMatchObject({ allowed: false, refusal: { code } });
    expect(decision.explanation.steps().at(-1)).toMatchObject({ rule: 'client_platform', source, outcome: 'refused' });
  });
});
