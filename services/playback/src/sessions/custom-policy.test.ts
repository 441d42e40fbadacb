import { drmSystems, type PlaybackSchemas } from '@multi-drm/contracts';
import { decodeJwt } from 'jose';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { makeTenant } from '../testing/published-tenant';

type DrmSystem = PlaybackSchemas['DrmSystem'];

let playback: Playback;
const tenant = makeTenant();

beforeAll(async () => {
  tenant.content.manifests = [{ type: 'dash', url: 'https://cdn.example.com/any.mpd', drmSystems: [...drmSystems] }];
  playback = await startPlayback();
  await playback.publish(tenant);
});

const create = (overrides: object) => playback.create(tenant, sessionRequest(overrides));
const asking = (drmSystem: DrmSystem, rules: object) => ({
  drmSystem,
  licensePolicy: { tracks: [{ trackTypes: ['SD'], [drmSystem]: rules }] },
});

/** Every valid value of each DRM system's rules, together with a fixed other rule, and some invalid values. */
const values: [DrmSystem, rule: string, beside: object, allowed: unknown[], refused: unknown[]][] = [
  ['widevine', 'securityLevel', { hdcp: 'none' }, [1, 2, 3, 4, 5], [0, 6, '1']],
  [
    'widevine',
    'hdcp',
    { securityLevel: 1 },
    ['none', '1.0', '1.1', '1.2', '1.3', '1.4', '2.0', '2.1', '2.2', '2.3'],
    ['2.4', 2.2, 'type0'],
  ],
  ['playready', 'securityLevel', { outputProtection: 'none' }, [150, 2000, 3000], [1, 2500]],
  ['playready', 'outputProtection', { securityLevel: 2000 }, ['none', 'hdcp', 'hdcp-type1'], ['type1', '']],
  ['fairplay', 'hdcp', {}, ['none', 'type0', 'type1'], ['1.0', 'hdcp']],
  ['wiseplay', 'securityLevel', { outputControl: 0 }, [1, 2, 3], [0, 4]],
  ['wiseplay', 'outputControl', { securityLevel: 1 }, [0, 1, 2, 3], [-1, 4]],
];

test.each(values)('%s %s with %j accepts %j, and the license token contains it', async (system, rule, beside, all) => {
  for (const value of all) {
    const { body } = await create(asking(system, { ...beside, [rule]: value })).expect(200);
    expect(decodeJwt(body.drm.drmLicenseToken).pol).toMatchObject({
      tracks: [{ trackTypes: ['SD'], [system]: { ...beside, [rule]: value } }],
    });
    await playback.asPlayer(body, 'release').expect(204);
  }
});

test.each(values)('%s %s with %j rejects other values by path', async (system, rule, beside, _all, none) => {
  for (const value of none) {
    const { body } = await create(asking(system, { ...beside, [rule]: value })).expect(400);
    expect(Object.keys(body.errors)).toEqual([`licensePolicy.tracks[0].${system}.${rule}`]);
  }
});

test.each([
  ['maximumConcurrentStreams', 1, 100],
  ['licenseDurationSeconds', 1, 31_536_000],
  ['playbackDurationSeconds', 1, 31_536_000],
])('inline rights: %s must be %i to %i', async (field, least, most) => {
  for (const value of [least, most]) {
    const { body } = await create({ licensePolicy: { [field]: value } }).expect(200);
    expect(decodeJwt(body.drm.drmLicenseToken).pol).toMatchObject({ [field]: value });
  }
  for (const value of [least - 1, most + 1, least + 0.5]) {
    const { body } = await create({ licensePolicy: { [field]: value } }).expect(400);
    expect(Object.keys(body.errors)).toEqual([`licensePolicy.${field}`]);
  }
});

test('the license token contains only the rules of its own DRM system', async () => {
  for (const drmSystem of drmSystems) {
    const { body } = await create({ drmSystem, licensePolicyTemplate: 'multi-tier-standard' }).expect(200);
    const { tracks } = decodeJwt(body.drm.drmLicenseToken).pol as PlaybackSchemas['LicensePolicy'];
    for (const { trackTypes: _types, ...rules } of tracks ?? []) expect(Object.keys(rules)).toEqual([drmSystem]);
  }
});

test('a custom policy overrides the default, and the rest comes from the default', async () => {
  const { body } = await create({ licensePolicy: { maximumHeight: 576, maximumConcurrentStreams: 7 } }).expect(200);
  expect(body.policy).toEqual({
    maximumHeight: 576,
    allowedTrackTypes: ['AUDIO', 'SD'],
    template: null,
    maximumConcurrentStreams: 7,
  });
});

test('without useEnvironmentDefaults, the default is not used', async () => {
  const { body } = await create({ useEnvironmentDefaults: false, licensePolicy: { maximumHeight: 576 } }).expect(422);
  expect(body).toMatchObject({ code: 'license_policy_invalid', detail: 'licensePolicy.tracks is missing.' });
});

test.each([
  ['a template', { licensePolicyTemplate: 'single-hdcp', useEnvironmentDefaults: false }, 'single-hdcp'],
  ['a template over the default', { licensePolicyTemplate: 'single-hdcp' }, 'single-hdcp'],
  ['the default', {}, 'single-software'],
])('the policy is %s', async (_what, selection, template) => {
  expect((await create(selection).expect(200)).body.policy.template).toBe(template);
});
