import { axinom } from './axinom';
import type { LicenseCall } from './license-backend';
import { callOf, keyOfAll, keys, templatePolicy } from './testing/calls';
import { answerOf, exchange } from './testing/exchange';
import { axinomSettings, fakeAxinom } from './testing/fake-axinom';
import { problemOf, refusalTests } from './testing/refusal-cases';
import { licenses, soapFault } from './testing/sample-messages';

const backend = axinom.create(axinomSettings);
const systems = ['widevine', 'playready', 'fairplay'] as const;

async function messageOf(call: LicenseCall): Promise<unknown> {
  const messages: unknown[] = [];
  expect(await exchange(backend, call, fakeAxinom(call.drmSystem, messages))).toEqual(licenses[call.drmSystem]);
  return messages[0];
}

const usage = {
  widevine: [
    { device_security_level: 'SW_SECURE_CRYPTO' },
    { device_security_level: 'HW_SECURE_CRYPTO', hdcp: '1.0' },
    { device_security_level: 'HW_SECURE_ALL', hdcp: '2.2' },
  ],
  playready: [
    { min_device_security_level: 2000, uncompressed_digital_video_opl: 100 },
    { min_device_security_level: 2000, uncompressed_digital_video_opl: 300 },
    {
      min_device_security_level: 3000,
      uncompressed_digital_video_opl: 300,
      digital_video_output_protections: [{ id: 'ABB2C6F1-E663-4625-A945-972D17B231E7', config_data: 'AAAAAQ==' }],
    },
  ],
  fairplay: [{ hdcp: 'NONE' }, { hdcp: 'TYPE0' }, { hdcp: 'TYPE1' }],
};

const licenseMembers = {
  widevine: { real_time_duration_expiration: true, real_time_playback_expiration: true },
  playready: { real_time_expiration: true },
  fairplay: { real_time_expiration: true },
};

test.each(systems)('%s: requests a license with the rules of each key', async (drmSystem) => {
  expect(await messageOf(callOf(drmSystem))).toEqual({
    type: 'entitlement_message',
    version: 2,
    license: {
      expiration_datetime: '2026-03-01T13:00:00.700Z',
      duration: 3600,
      allow_persistence: false,
      [drmSystem]: licenseMembers[drmSystem],
    },
    content_keys_source: {
      inline: keys.map(({ keyId }, index) => ({ id: keyId, usage_policy: `rules-${index + 1}` })),
    },
    content_key_usage_policies: usage[drmSystem].map((rules, index) => ({
      name: `rules-${index + 1}`,
      [drmSystem]: rules,
    })),
  });
});

test.each(['multi-tier-standard', 'single-hardware'])(
  'one key for all tracks of %s gets the strictest of their rules',
  async (template) => {
    const call = callOf('widevine', { keys: [keyOfAll], policy: templatePolicy(template, 'widevine') });
    expect(await messageOf(call)).toMatchObject({
      content_keys_source: { inline: [{ usage_policy: 'rules-1' }] },
      content_key_usage_policies: [
        { name: 'rules-1', widevine: { device_security_level: 'HW_SECURE_ALL', hdcp: '2.2' } },
      ],
    });
  },
);

test('keys with equal rules share a usage policy', async () => {
  const call = callOf('widevine', { policy: templatePolicy('single-software', 'widevine'), keys: keys.slice(0, 2) });
  expect(await messageOf(call)).toMatchObject({
    content_keys_source: { inline: [{ usage_policy: 'rules-1' }, { usage_policy: 'rules-1' }] },
    content_key_usage_policies: [{ name: 'rules-1' }],
  });
});

test.each(systems)('%s: sends the durations of the policy', async (drmSystem) => {
  const { policy } = callOf(drmSystem);
  const durations = { ...policy, licenseDurationSeconds: 60, playbackDurationSeconds: 30 };
  expect(await messageOf(callOf(drmSystem, { policy: durations }))).toMatchObject({
    license: { expiration_datetime: '2026-03-01T12:01:00.700Z', duration: 60, [drmSystem]: { playback_duration: 30 } },
  });
});

test.each(systems)('%s: wrong credentials and an invalid challenge are refused', async (drmSystem) => {
  const call = callOf(drmSystem);
  const wrongKey = axinom.create({ ...axinomSettings, communicationKey: `${'A'.repeat(43)}=` });
  const wrongId = axinom.create({ ...axinomSettings, communicationKeyId: '00000000-0000-4000-8000-000000000000' });
  const other = callOf(drmSystem, { challenge: Buffer.from('other') });
  const attempts = [
    [wrongKey, call, 'license_backend_refused', /settings/],
    [wrongId, call, 'license_backend_refused', /settings/],
    [backend, other, 'license_challenge_invalid', /challenge/],
  ] as const;
  for (const [sender, sent, code, detail] of attempts) {
    const problem = await problemOf(() => exchange(sender, sent, fakeAxinom(drmSystem)));
    expect([problem.code, problem.detail]).toEqual([code, expect.stringMatching(detail)]);
    expect(`${problem.detail} ${problem.cause}`).not.toMatch(/secret/);
  }
});

test.each([
  [400, 'Invalid license request. The token in X-AxDRM-Message could not be verified', 'license_backend_refused'],
  [500, 'Invalid license request. Unknown communication key', 'license_backend_refused'],
  [500, 'The request data does not represent a valid PlayReady request', 'license_challenge_invalid'],
  [500, 'License denied. Your device security level is too low', 'license_backend_refused'],
  [500, 'Something else', 'license_backend_refused'],
])('PlayReady: %d with the explanation "%s" is %s', async (status, explanation, code) => {
  const answer = answerOf(status, soapFault, { 'x-axdrm-errormessage': explanation });
  const problem = await problemOf(() => backend.unwrap(answer, callOf('playready')));
  expect(problem.code).toBe(code);
  expect(`${problem.detail} ${problem.cause}`).not.toContain(explanation.slice(0, 20));
});

test('Widevine: the explanation distinguishes an invalid challenge from a wrong token, which have the same status', async () => {
  const codeOf = async (explanation: string) => {
    const answer = answerOf(400, 'denied', { 'x-axdrm-errormessage': explanation });
    return (await problemOf(() => backend.unwrap(answer, callOf('widevine')))).code;
  };
  expect(await codeOf('Invalid license request. DRM client models with revoked certificates are not allowed')).toBe(
    'license_challenge_invalid',
  );
  expect(await codeOf('The License Service Message has expired')).toBe('license_backend_refused');
});

test('throws without key ids, or for an unknown security level', async () => {
  expect(await problemOf(() => backend.prepare(callOf('widevine', { keys: [] })))).toMatchObject({
    code: 'license_backend_refused',
    detail: expect.stringMatching(/requires key ids/),
  });
  const call = callOf('widevine');
  const tracks = [{ trackTypes: ['SD' as const], widevine: { securityLevel: 6, hdcp: 'none' as const } }];
  expect(await problemOf(() => backend.prepare({ ...call, policy: { ...call.policy, tracks } }))).toMatchObject({
    code: 'license_backend_refused',
  });
});

for (const drmSystem of systems) refusalTests(backend, callOf(drmSystem));
