import { drmToday } from './drmtoday';
import type { LicenseCall } from './license-backend';
import { callOf, keyOfAll, keys, templatePolicy } from './testing/calls';
import { answerOf, exchange } from './testing/exchange';
import { drmTodaySettings, fakeDrmToday } from './testing/fake-drmtoday';
import { problemOf, refusalTests } from './testing/refusal-cases';
import { licenses } from './testing/sample-messages';

const backend = drmToday.create(drmTodaySettings);
const systems = ['widevine', 'playready', 'fairplay', 'wiseplay'] as const;
const software = templatePolicy('single-software', 'wiseplay');
const callFor = (drmSystem: LicenseCall['drmSystem'], changes: Partial<LicenseCall> = {}) =>
  callOf(drmSystem, { ...(drmSystem === 'wiseplay' ? { policy: software } : {}), ...changes });

async function rightsOf(call: LicenseCall) {
  const received: { optData: unknown; crt: unknown }[] = [];
  expect(await exchange(backend, call, fakeDrmToday(call.drmSystem, received))).toEqual(licenses[call.drmSystem]);
  return received[0];
}

const off = { digital: false, analogue: false, enforce: false };
const qualities = {
  widevine: {
    AUDIO: { WidevineM: { minSL: 1, requireHDCP: 'HDCP_NONE' } },
    SD: { WidevineM: { minSL: 1, requireHDCP: 'HDCP_NONE' } },
    HD: { WidevineM: { minSL: 3, requireHDCP: 'HDCP_V1' } },
    UHD: { WidevineM: { minSL: 5, requireHDCP: 'HDCP_V2_2' } },
  },
  playready: {
    AUDIO: { PlayReadyM: { minSL: 2000, requireHDCP: 'HDCP_NONE' } },
    SD: { PlayReadyM: { minSL: 2000, requireHDCP: 'HDCP_NONE' } },
    HD: { PlayReadyM: { minSL: 2000, requireHDCP: 'HDCP_V1' } },
    UHD: { PlayReadyM: { minSL: 3000, requireHDCP: 'HDCP_V2_2' } },
  },
  fairplay: {
    AUDIO: { FairPlayM: { requireHDCP: 'HDCP_NONE' } },
    SD: { FairPlayM: { requireHDCP: 'HDCP_NONE' } },
    HD: { FairPlayM: { requireHDCP: 'HDCP_V1' } },
    UHD: { FairPlayM: { requireHDCP: 'HDCP_V2_2' } },
  },
  wiseplay: undefined,
};

test.each(systems)('%s: requests a license with the rules of each quality', async (drmSystem) => {
  const config = qualities[drmSystem];
  expect(await rightsOf(callFor(drmSystem))).toEqual({
    optData: { merchant: 'six', userId: 'lms:3f9c:17', sessionId: '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77' },
    crt: {
      assetId: 'lesson-0042 ü',
      profile: { type: 'rental', relativeExpiration: 'PT3600S', playDuration: 3_600_000 },
      outputProtection: off,
      ...(config === undefined ? {} : { op: { config } }),
      storeLicense: false,
    },
  });
});

test('denies qualities that are not allowed, and enforces for the whole license what all of them require', async () => {
  const call = callOf('widevine', { policy: templatePolicy('single-hdcp', 'widevine'), keys: keys.slice(0, 2) });
  const hdcp = { WidevineM: { minSL: 1, requireHDCP: 'HDCP_V1' } };
  expect((await rightsOf(call))?.crt).toMatchObject({
    outputProtection: { digital: true, analogue: true, enforce: true },
    op: { config: { AUDIO: hdcp, SD: hdcp, HD: hdcp, UHD: { WidevineM: { deny: true } } } },
  });
});

test.each(['multi-tier-standard', 'single-hardware'])(
  'one key for all tracks of %s gets the strictest of their rules',
  async (template) => {
    const call = callOf('widevine', { keys: [keyOfAll], policy: templatePolicy(template, 'widevine') });
    const best = { WidevineM: { minSL: 5, requireHDCP: 'HDCP_V2_2' } };
    expect((await rightsOf(call))?.crt).toMatchObject({
      op: { config: { AUDIO: best, SD: best, HD: best, UHD: best } },
    });
  },
);

test('sends the durations of the policy', async () => {
  const { policy } = callOf('widevine');
  const call = callOf('widevine', { policy: { ...policy, licenseDurationSeconds: 60, playbackDurationSeconds: 30 } });
  expect((await rightsOf(call))?.crt).toMatchObject({
    profile: { type: 'rental', relativeExpiration: 'PT60S', playDuration: 30_000 },
  });
});

test('WisePlay: HDCP applies to the whole license; rules without a field are refused', async () => {
  const hdcp = callOf('wiseplay', { policy: templatePolicy('single-hdcp', 'wiseplay') });
  expect((await rightsOf(hdcp))?.crt).toMatchObject({ outputProtection: { enforce: true } });
  for (const [securityLevel, outputControl] of [
    [2, 0],
    [1, 2],
  ] as const) {
    const tracks = [{ trackTypes: ['SD' as const], wiseplay: { securityLevel, outputControl } }];
    const problem = await problemOf(() => backend.prepare(callOf('wiseplay', { policy: { ...software, tracks } })));
    expect([problem.code, problem.detail]).toEqual([
      'license_backend_refused',
      expect.stringMatching(/cannot enforce the policy: WisePlay/),
    ]);
  }
});

test.each(systems)('%s: wrong credentials and an invalid challenge are refused', async (drmSystem) => {
  const wrong = drmToday.create({ ...drmTodaySettings, sharedSecret: '00'.repeat(32) });
  const settings = await problemOf(() => exchange(wrong, callFor(drmSystem), fakeDrmToday(drmSystem)));
  expect([settings.code, settings.detail]).toEqual(['license_backend_refused', expect.stringMatching(/settings/)]);
  const other = callFor(drmSystem, { challenge: Buffer.from('other') });
  const player = await problemOf(() => exchange(backend, other, fakeDrmToday(drmSystem)));
  expect([player.code, player.detail]).toEqual(['license_challenge_invalid', expect.stringMatching(/challenge/)]);
});

test('each request has its own token, since a token is accepted only once', async () => {
  const server = fakeDrmToday('widevine');
  const ids = ['7b0ad1f0-55a5-4b43-8d3c-4b1a0f5d2c33', '8d3c7b0a-55a5-4b43-8d3c-4b1a0f5d2c33'];
  const prepared = backend.prepare(callOf('widevine', { randomUuid: () => ids.shift() ?? '' }));
  if (!('makeRequest' in prepared)) throw new Error('DRMtoday backends always send a request');
  const first = prepared.makeRequest();
  expect([await server(first), await server(first), await server(prepared.makeRequest())]).toMatchObject([
    { status: 200 },
    { status: 403 },
    { status: 200 },
  ]);
});

test('accepts raw licenses and FairPlay in plain base64 or base64url, and reports an error in a 200', async () => {
  const { widevine, fairplay } = licenses;
  expect(backend.unwrap(answerOf(200, widevine), callOf('widevine'))).toEqual(widevine);
  expect(backend.unwrap(answerOf(200, `${fairplay.toString('base64')}\n`), callOf('fairplay'))).toEqual(fairplay);
  expect(backend.unwrap(answerOf(200, fairplay.toString('base64url')), callOf('fairplay'))).toEqual(fairplay);
  expect(backend.unwrap(answerOf(200, fairplay), callOf('fairplay'))).toEqual(fairplay);
  const failed = answerOf(200, { status: 'DENIED' });
  expect(await problemOf(() => backend.unwrap(failed, callOf('widevine')))).toMatchObject({
    code: 'license_backend_refused',
  });
});

for (const drmSystem of systems) refusalTests(backend, callFor(drmSystem));
