import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { ResolvedPolicy } from '@multi-drm/policy';
import { signedPolicyOf } from './license-token-claims';

const low = { widevine: { securityLevel: 1, hdcp: 'none' }, fairplay: { hdcp: 'none' } } as const;
const high = { widevine: { securityLevel: 5, hdcp: '2.2' }, fairplay: { hdcp: 'none' } } as const;
const policy: ResolvedPolicy = {
  template: 'gold',
  licenseProfileId: null,
  maximumHeight: 2160,
  allowedTrackTypes: ['AUDIO', 'SD', 'HD'],
  tracks: [
    { trackType: 'AUDIO', ...low },
    { trackType: 'SD', ...high },
    { trackType: 'HD', ...low },
  ],
  maximumConcurrentStreams: 2,
  streamCeiling: null,
  atStreamLimit: 'reject',
  licenseDurationSeconds: 3600,
  availableFrom: null,
  availableUntil: '2027-01-01T00:00:00.000Z',
  allowedClientPlatforms: ['android-tv'],
};

test('the signed policy has the rules of one DRM system, with equal rules in one entry', () => {
  expect(signedPolicyOf(policy, 'widevine')).toEqual({
    template: 'gold',
    maximumHeight: 2160,
    tracks: [
      { trackTypes: ['AUDIO', 'HD'], widevine: low.widevine },
      { trackTypes: ['SD'], widevine: high.widevine },
    ],
    maximumConcurrentStreams: 2,
    licenseDurationSeconds: 3600,
    availableUntil: '2027-01-01T00:00:00.000Z',
  });
});

test('a license profile is referenced by its id', () => {
  const licenseProfileId = '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77';
  expect(signedPolicyOf({ ...policy, licenseProfileId }, 'widevine').template).toBe(licenseProfileId);
});

test('track types that differ only for other DRM systems share an entry', () => {
  const { tracks } = signedPolicyOf(policy, 'fairplay');
  expect(tracks).toEqual([{ trackTypes: ['AUDIO', 'SD', 'HD'], fairplay: { hdcp: 'none' } }]);
});

test.each<PlaybackSchemas['DrmSystem']>(['playready', 'wiseplay'])(
  'a policy without rules for %s cannot be signed for it',
  (drmSystem) => {
    expect(() => signedPolicyOf(policy, drmSystem)).toThrow(`the resolved policy has no ${drmSystem} rules for AUDIO`);
  },
);
