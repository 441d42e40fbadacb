import { callOf, keyOfAll, templatePolicy } from './testing/calls';
import { answerOf, exchange, requestOf } from './testing/exchange';
import { fakeWidevineService, widevineSettings } from './testing/fake-widevine-service';
import { problemOf, refusalTests } from './testing/refusal-cases';
import { challenges, licenses } from './testing/sample-messages';
import { widevineProxy, widevineSignature } from './widevine-proxy';

const backend = widevineProxy.create(widevineSettings);
const call = callOf('widevine');
const { widevine } = challenges;

test("signs like the vendor's sample", () => {
  const message = Buffer.from('{"isTest":true,"test":"testing","test2":"testing2","test3":"testing3"}');
  expect(widevineSignature(widevineSettings, message)).toBe('ga80QzRuUM+jnPcoR6UWs5TXrTQ2VgeYiu0FoqCNRH4=');
});

test('requests a license with a key specification for each allowed track of each key', async () => {
  const messages: unknown[] = [];
  expect(await exchange(backend, call, fakeWidevineService(widevine, messages))).toEqual(licenses.widevine);
  const software = { security_level: 1, required_output_protection: { hdcp: 'HDCP_NONE' } };
  const hardware = { security_level: 3, required_output_protection: { hdcp: 'HDCP_V1' } };
  const best = { security_level: 5, required_output_protection: { hdcp: 'HDCP_V2_2' } };
  expect(messages).toEqual([
    {
      payload: widevine.toString('base64'),
      content_id: Buffer.from('lesson-0042 ü').toString('base64'),
      provider: 'widevine_test',
      content_key_specs: [
        { track_type: 'AUDIO', ...software, key_id: 'EAAAAAAAQACAAAAAAAAAoA==' },
        { track_type: 'SD', ...software, key_id: 'EAAAAAAAQACAAAAAAAAAoA==' },
        { track_type: 'HD', ...hardware, key_id: 'IAAAAAAAQACAAAAAAAAAsA==' },
        { track_type: 'UHD1', ...best, key_id: 'MAAAAAAAQACAAAAAAAAAwA==' },
      ],
      policy_overrides: { can_play: true, can_persist: false, can_renew: false, license_duration_seconds: 3600 },
    },
  ]);
});

const messageOf = (changes: Parameters<typeof callOf>[1], settings = {}) => {
  const { body } = requestOf(widevineProxy.create({ ...widevineSettings, ...settings }), callOf('widevine', changes));
  return JSON.parse(Buffer.from(JSON.parse(body.toString()).request, 'base64').toString());
};

test('lists only tracks if no key is registered, includes stored keys, and names the policy of the settings', () => {
  const policy = templatePolicy('single-hdcp', 'widevine');
  const hdcp = { security_level: 1, required_output_protection: { hdcp: 'HDCP_V1' } };
  expect(messageOf({ keys: [], policy }).content_key_specs).toEqual([
    { track_type: 'AUDIO', ...hdcp },
    { track_type: 'SD', ...hdcp },
    { track_type: 'HD', ...hdcp },
  ]);
  const own = { keyId: '10000000-0000-4000-8000-0000000000a0', trackTypes: ['HD' as const], key: Buffer.alloc(16, 1) };
  expect(messageOf({ keys: [own], policy }, { policyName: 'hd' })).toMatchObject({
    policy_name: 'hd',
    content_key_specs: [
      { track_type: 'HD', ...hdcp, key_id: 'EAAAAAAAQACAAAAAAAAAoA==', key: 'AQEBAQEBAQEBAQEBAQEBAQ==' },
    ],
  });
});

test.each(['multi-tier-standard', 'single-hardware'])(
  'one key for all tracks of %s gets the strictest of their rules',
  (template) => {
    const policy = templatePolicy(template, 'widevine');
    const specifications = messageOf({ keys: [keyOfAll], policy }).content_key_specs;
    expect(specifications).toHaveLength(4);
    for (const { security_level, required_output_protection } of specifications) {
      expect([security_level, required_output_protection.hdcp]).toEqual([5, 'HDCP_V2_2']);
    }
  },
);

test.each([
  ['none', 'HDCP_NONE'],
  ['1.0', 'HDCP_V1'],
  ['1.4', 'HDCP_V1'],
  ['2.0', 'HDCP_V2'],
  ['2.1', 'HDCP_V2_1'],
  ['2.2', 'HDCP_V2_2'],
  ['2.3', 'HDCP_V2_3'],
] as const)('HDCP %s is %s', (hdcp, expected) => {
  const tracks = [{ trackTypes: ['SD' as const], widevine: { securityLevel: 2, hdcp } }];
  const { content_key_specs } = messageOf({ keys: [], policy: { ...call.policy, tracks } });
  expect(content_key_specs).toEqual([
    { track_type: 'SD', security_level: 2, required_output_protection: { hdcp: expected } },
  ]);
});

test('sends the durations of the policy', () => {
  const policy = { ...call.policy, licenseDurationSeconds: 600, playbackDurationSeconds: 300 };
  expect(messageOf({ policy }).policy_overrides).toMatchObject({
    license_duration_seconds: 600,
    playback_duration_seconds: 300,
  });
});

test('distinguishes a wrong key, an invalid challenge and a failure', async () => {
  const wrong = widevineProxy.create({ ...widevineSettings, signingKey: '0'.repeat(64) });
  const settings = await problemOf(() => exchange(wrong, call, fakeWidevineService(widevine)));
  expect([settings.code, settings.detail]).toEqual(['license_backend_refused', expect.stringMatching(/settings/)]);

  const other = callOf('widevine', { challenge: Buffer.from([8, 1]) });
  const player = await problemOf(() => exchange(backend, other, fakeWidevineService(widevine)));
  expect([player.code, player.detail]).toEqual(['license_challenge_invalid', expect.stringMatching(/challenge/)]);

  const status = (value: string) => problemOf(() => backend.unwrap(answerOf(200, { status: value }), call));
  expect(await status('INTERNAL_ERROR')).toMatchObject({ code: 'license_backend_unavailable' });
  for (const playerStatus of ['DRM_DEVICE_CERTIFICATE_REVOKED', 'DRM_DEVICE_CERT_SERIAL_REVOKED']) {
    expect(await status(playerStatus)).toMatchObject({ code: 'license_challenge_invalid' });
  }
  expect(await status('ACCESS_DENIED')).toMatchObject({ code: 'license_backend_refused' });
  expect(await status('OK')).toMatchObject({ code: 'license_backend_unavailable' });
});

test('throws if no registered key decrypts an allowed track', async () => {
  const key = { keyId: '10000000-0000-4000-8000-0000000000a0', trackTypes: ['UHD2' as const], key: null };
  expect(await problemOf(() => backend.prepare(callOf('widevine', { keys: [key] })))).toMatchObject({
    code: 'license_backend_refused',
  });
});

refusalTests(backend, call);
