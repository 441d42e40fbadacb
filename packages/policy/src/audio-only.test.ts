import type { ContentDocument, LicenseProfileDocument } from '@multi-drm/contracts';
import { decidePlayback, type PlaybackFacts } from './decide-playback';
import { contentWith, factsWith, now, profileWith } from './testing/facts';

const audioRules = { trackTypes: ['AUDIO' as const], widevine: { securityLevel: 2, hdcp: 'none' as const } };
const videoWithoutRules = { trackTypes: ['SD' as const, 'HD' as const], fairplay: { hdcp: 'none' as const } };

function decideOn(
  kind: ContentDocument['kind'],
  tracks: LicenseProfileDocument['tracks'],
  facts: Partial<PlaybackFacts> = {},
  maximumHeight = 1080,
) {
  const request = { contentType: 'vod' as const, drmSystem: 'widevine' as const };
  const selected = { ...request, licensePolicy: { maximumHeight, tracks } };
  return decidePlayback(factsWith({ request: selected, content: contentWith({ kind }), ...facts }), now);
}

test('audio uses only the AUDIO rules of a policy and ignores those for video', () => {
  const decision = decideOn('audio', [audioRules, videoWithoutRules]);
  expect(decision).toMatchObject({
    allowed: true,
    policy: { allowedTrackTypes: ['AUDIO'], tracks: [{ trackType: 'AUDIO', widevine: { securityLevel: 2 } }] },
  });
  expect(decideOn('vod', [audioRules, videoWithoutRules])).toMatchObject({
    refusal: { code: 'license_policy_invalid' },
  });
});

test('audio ignores a height below every video track type of the policy', () => {
  const uhd = { ...audioRules, trackTypes: ['UHD2' as const] };
  expect(decideOn('audio', [audioRules, uhd], {}, 144).allowed).toBe(true);
  expect(decideOn('vod', [audioRules, uhd], {}, 144).allowed).toBe(false);
});

test('audio needs AUDIO rules', () => {
  const video = { ...audioRules, trackTypes: ['SD' as const] };
  expect(decideOn('audio', [video])).toMatchObject({ refusal: { code: 'license_policy_invalid' } });
  const silent = { ...videoWithoutRules, trackTypes: ['AUDIO' as const] };
  expect(decideOn('audio', [silent])).toMatchObject({ refusal: { code: 'license_policy_invalid' } });
});

test('the content’s license profile bounds audio with its AUDIO rules, which it must have', () => {
  const content = contentWith({ kind: 'audio', licenseProfileName: 'studio' });
  const strict = { ...audioRules, widevine: { securityLevel: 3, hdcp: 'none' as const } };
  const bounded = decideOn('audio', [audioRules], { content, ceiling: profileWith({ tracks: [strict] }) });
  expect(bounded).toMatchObject({ allowed: true, policy: { tracks: [{ widevine: { securityLevel: 3 } }] } });
  const pictures = profileWith({ tracks: [{ ...strict, trackTypes: ['SD'] }] });
  expect(decideOn('audio', [audioRules], { content, ceiling: pictures })).toMatchObject({
    refusal: { code: 'license_policy_invalid' },
  });
});
