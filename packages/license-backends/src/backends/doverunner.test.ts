import { doveRunner, doveRunnerToken } from './doverunner';
import type { LicenseCall, TrackType } from './license-backend';
import { callOf, keyOfAll, templatePolicy } from './testing/calls';
import { answerOf, exchange } from './testing/exchange';
import { doveRunnerSettings, fakeDoveRunner } from './testing/fake-doverunner';
import { problemOf, refusalTests } from './testing/refusal-cases';
import { licenses } from './testing/sample-messages';

const backend = doveRunner.create(doveRunnerSettings);
const systems = ['widevine', 'playready', 'fairplay', 'wiseplay'] as const;

test("encrypts and signs like the vendor's samples", () => {
  const plain = {
    drm_type: 'Widevine',
    user_id: 'test-user',
    cid: 'bigbuckbunny',
    policy: '{"playback_policy":{"limit":true,"persistent":false,"duration":3600}}',
    timestamp: '2019-07-17T08:57:04Z',
  };
  expect(doveRunnerToken(doveRunnerSettings, plain)).toEqual({
    ...plain,
    site_id: 'TUTO',
    policy:
      'bO9DzyQgtgfbSDWmqGgZXWZdWm7M4oZ4X0hC1hS6QNraiwLI0LwmNY+OfOh1L0KmtuH7NF1blUxep9YLWrNfSy4H/6swQW7pbjZnRqRguDQ=',
    hash: '0Zef3WHBbzQAR0oGf5KXn25G1TmvB2Bkvzv+7OqIWvQ=',
  });
});

async function receivedFrom(call: LicenseCall) {
  const received: { token: Record<string, string>; policy: unknown }[] = [];
  expect(await exchange(backend, call, fakeDoveRunner(call.drmSystem, received))).toEqual(licenses[call.drmSystem]);
  return received[0];
}

const rules = {
  widevine: [
    { security_level: 1, required_hdcp_version: 'HDCP_NONE' },
    { security_level: 3, required_hdcp_version: 'HDCP_V1' },
    { security_level: 5, required_hdcp_version: 'HDCP_V2_2' },
  ],
  playready: [
    { security_level: 2000, digital_video_protection_level: 100, require_hdcp_type_1: false },
    { security_level: 2000, digital_video_protection_level: 300, require_hdcp_type_1: false },
    { security_level: 3000, digital_video_protection_level: 300, require_hdcp_type_1: true },
  ],
  fairplay: [{ hdcp_enforcement: -1 }, { hdcp_enforcement: 0 }, { hdcp_enforcement: 1 }],
  wiseplay: [
    { security_level: 1, output_control: 0 },
    { security_level: 2, output_control: 1 },
    { security_level: 2, output_control: 2 },
  ],
};
const drmTypes = { widevine: 'Widevine', playready: 'PlayReady', fairplay: 'FairPlay', wiseplay: 'Wiseplay' };

test.each(systems)('%s: requests a license with the rules of each track type', async (drmSystem) => {
  const [software, hardware, best] = rules[drmSystem];
  const received = await receivedFrom(callOf(drmSystem));
  expect(received?.token).toMatchObject({
    drm_type: drmTypes[drmSystem],
    site_id: 'TUTO',
    user_id: 'lms:3f9c:17',
    cid: 'lesson-0042 ü',
    timestamp: '2026-03-01T11:59:30Z',
  });
  expect(received?.policy).toEqual({
    policy_version: 2,
    playback_policy: { persistent: false, license_duration: 3600, allowed_track_types: 'SD_UHD1' },
    security_policy: [
      { track_type: 'AUDIO', [drmSystem]: software },
      { track_type: 'SD', [drmSystem]: software },
      { track_type: 'HD', [drmSystem]: hardware },
      { track_type: 'UHD1', [drmSystem]: best },
    ],
  });
});

const policyWith = (...tracks: [TrackType[], number][]) => ({
  ...templatePolicy('single-software', 'widevine'),
  tracks: tracks.map(([trackTypes, securityLevel]) => ({
    trackTypes,
    widevine: { securityLevel, hdcp: 'none' as const },
  })),
});
const entry = (track_type: string, security_level: number) => ({
  track_type,
  widevine: { security_level, required_hdcp_version: 'HDCP_NONE' },
});

test.each([
  ['equal rules are merged', policyWith([['AUDIO', 'SD', 'HD'], 2]), 'SD_HD', [entry('ALL', 2)]],
  ['SD only', policyWith([['SD'], 1]), 'SD_ONLY', [entry('ALL', 1)]],
  [
    'unlisted ones get the rules of the next better one',
    policyWith([['AUDIO'], 1], [['SD'], 2], [['UHD2'], 5]),
    'SD_UHD2',
    [entry('AUDIO', 1), entry('SD', 2), entry('HD', 5), entry('UHD1', 5), entry('UHD2', 5)],
  ],
  ['HD only includes nothing under weaker rules', policyWith([['HD'], 3]), 'SD_HD', [entry('ALL', 3)]],
] as const)('track types: %s', async (_name, policy, allowed, security) => {
  const received = await receivedFrom(callOf('widevine', { policy, keys: [] }));
  expect(received?.policy).toMatchObject({
    playback_policy: { allowed_track_types: allowed },
    security_policy: security,
  });
});

test.each(['multi-tier-standard', 'single-hardware'])(
  'one key for all tracks of %s gets the strictest of their rules',
  async (template) => {
    const received = await receivedFrom(
      callOf('widevine', { keys: [keyOfAll], policy: templatePolicy(template, 'widevine') }),
    );
    expect(received?.policy).toMatchObject({ security_policy: [{ track_type: 'ALL', widevine: rules.widevine[2] }] });
  },
);

test('rules without a field are refused', async () => {
  const { policy } = callOf('widevine');
  const tracks = [{ trackTypes: ['SD' as const], widevine: { securityLevel: 1, hdcp: '2.3' as const } }];
  for (const unknown of [policyWith([['AUDIO'], 1]), { ...policy, tracks }]) {
    const problem = await problemOf(() => backend.prepare(callOf('widevine', { policy: unknown, keys: [] })));
    expect([problem.code, problem.detail]).toEqual([
      'license_backend_refused',
      expect.stringMatching(/cannot enforce the policy: HDCP 2\.3|no license for audio only/),
    ]);
  }
});

test('the license ends after the shortest of all durations', async () => {
  const { policy } = callOf('widevine');
  const durations = { ...policy, licenseDurationSeconds: 600, playbackDurationSeconds: 300 };
  expect((await receivedFrom(callOf('widevine', { policy: durations })))?.policy).toMatchObject({
    playback_policy: { license_duration: 300 },
  });
});

test.each(systems)('%s: an error in a 200 is a refusal', async (drmSystem) => {
  const call = callOf(drmSystem);
  const attempts = [
    [doveRunner.create({ ...doveRunnerSettings, accessKey: 'wrong' }), call, '7002'],
    [doveRunner.create({ ...doveRunnerSettings, siteId: 'OTHER' }), call, '7001'],
    [backend, callOf(drmSystem, { challenge: Buffer.from('other') }), '3101'],
  ] as const;
  for (const [sender, sent, errorCode] of attempts) {
    const problem = await problemOf(() => exchange(sender, sent, fakeDoveRunner(drmSystem)));
    expect(problem.code).toBe('license_backend_refused');
    expect(problem.detail).not.toMatch(/secret|\d/);
    expect(String(problem.cause)).toBe(`Error: license server: ${errorCode}`);
  }
});

test('a FairPlay license in bytes or base64url is accepted, too', () => {
  for (const license of [licenses.fairplay, licenses.fairplay.toString('base64url')]) {
    expect(backend.unwrap(answerOf(200, license), callOf('fairplay'))).toEqual(licenses.fairplay);
  }
});

for (const drmSystem of systems) refusalTests(backend, callOf(drmSystem));
