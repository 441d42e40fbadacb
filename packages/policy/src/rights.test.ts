import type { LayerPolicy } from './policy-layer';
import type { PolicySelection } from './select-layers';
import { environmentWith, resolvePolicy } from './testing/facts';

const widevine = { securityLevel: 1, hdcp: 'none' } as const;

describe('rights of license profiles', () => {
  const profile: LayerPolicy = {
    maximumHeight: 1080,
    tracks: [{ trackTypes: ['SD'], widevine }],
    atStreamLimit: 'evict-oldest',
    maximumConcurrentStreams: 2,
    licenseDurationSeconds: 60,
    playbackDurationSeconds: 120,
    availableFrom: '2026-01-01T00:00:00Z',
    availableUntil: '2026-12-31T00:00:00Z',
    allowedClientPlatforms: ['web', 'ios', 'android'],
  };
  const beneath: LayerPolicy = {
    maximumHeight: 2160,
    tracks: [{ trackTypes: ['SD'], widevine }],
    maximumConcurrentStreams: 5,
    licenseDurationSeconds: 3600,
    playbackDurationSeconds: 7200,
    atStreamLimit: 'evict-oldest',
    availableFrom: '2026-02-01T00:00:00.000Z',
    availableUntil: '2027-01-01T00:00:00Z',
    allowedClientPlatforms: ['android', 'web', 'tizen'],
  };
  const plain: LayerPolicy = { maximumHeight: 1080, tracks: [{ trackTypes: ['SD'], widevine }] };
  const named = new Map([
    ['profile', profile],
    ['beneath', beneath],
    ['plain', plain],
  ]);
  const environment = environmentWith({ defaultLicensePolicyTemplate: 'beneath' });
  const over = (selection: Omit<PolicySelection, 'drmSystem'>) =>
    resolvePolicy({ drmSystem: 'widevine', ...selection }, environment, (name) => named.get(name));

  test('are part of the policy', () => {
    expect(over({ licensePolicyTemplate: 'profile' })).toMatchObject({
      maximumConcurrentStreams: 2,
      atStreamLimit: 'evict-oldest',
      licenseDurationSeconds: 60,
      playbackDurationSeconds: 120,
      availableFrom: '2026-01-01T00:00:00Z',
      availableUntil: '2026-12-31T00:00:00Z',
      allowedClientPlatforms: ['web', 'ios', 'android'],
    });
  });

  test('come from the default if the selected profile does not set them', () => {
    const policy = over({ licensePolicyTemplate: 'plain', useEnvironmentDefaults: true });
    expect(policy).toMatchObject({
      maximumConcurrentStreams: 5,
      atStreamLimit: 'evict-oldest',
      licenseDurationSeconds: 3600,
      playbackDurationSeconds: 7200,
      availableFrom: beneath.availableFrom,
      availableUntil: beneath.availableUntil,
      allowedClientPlatforms: beneath.allowedClientPlatforms,
    });
  });

  test('of the default do not apply unless it was requested', () => {
    expect(over({ licensePolicyTemplate: 'plain' })).toMatchObject({ availableFrom: null, atStreamLimit: 'reject' });
  });

  test.each<[string, Omit<PolicySelection, 'drmSystem'>]>([
    ['a template', { licensePolicyTemplate: 'profile' }],
    ['a custom policy that names none', { licensePolicy: {} }],
  ])('restrict window and platforms of %s too', (_case, selection) => {
    const policy = over({ ...selection, useEnvironmentDefaults: true });
    expect(policy.availableFrom).toBe('2026-02-01T00:00:00.000Z');
    expect(policy.allowedClientPlatforms).toEqual(expect.arrayContaining(['web', 'android']));
    expect(policy.allowedClientPlatforms).not.toContain('ios');
  });

  test('intersect: the later start, the earlier end, the platforms of both', () => {
    expect(over({ licensePolicyTemplate: 'profile', useEnvironmentDefaults: true })).toMatchObject({
      availableFrom: '2026-02-01T00:00:00.000Z',
      availableUntil: '2026-12-31T00:00:00Z',
      allowedClientPlatforms: ['web', 'android'],
    });
  });

  test('in a custom policy can evict at the limit, or reject although the default evicts', () => {
    expect(over({ licensePolicy: { ...plain, atStreamLimit: 'evict-oldest' } }).atStreamLimit).toBe('evict-oldest');
    const rejecting = { licensePolicy: { ...plain, atStreamLimit: 'reject' as const }, useEnvironmentDefaults: true };
    expect(over(rejecting).atStreamLimit).toBe('reject');
  });
});
