import { findBuiltInTemplate } from '@multi-drm/policy';
import { makeTenant } from '../testing/published-tenant';
import { robustnessFor } from './robustness';

const { environment } = makeTenant();
const withBackend = (backend: 'axinom' | 'clearkey') => ({
  ...environment,
  drmSystems: environment.drmSystems.map((system) => ({ ...system, backend })),
});
const atVendor = withBackend('axinom');
const tracks = findBuiltInTemplate('multi-tier-standard')?.tracks ?? [];

test.each([
  [1, 'SW_SECURE_CRYPTO'],
  [2, 'SW_SECURE_DECODE'],
  [3, 'HW_SECURE_CRYPTO'],
  [4, 'HW_SECURE_DECODE'],
  [5, 'HW_SECURE_ALL'],
])('Widevine level %i is %s', (securityLevel, robustness) => {
  const track = { trackTypes: ['SD' as const], widevine: { securityLevel, hdcp: 'none' as const } };
  expect(robustnessFor('widevine', [track], atVendor)).toEqual({ SD: robustness });
});

test.each([
  [1, 'SW_SECURE_CRYPTO'],
  [2, 'SW_SECURE_CRYPTO'],
  [3, 'HW_SECURE_CRYPTO'],
  [4, 'HW_SECURE_CRYPTO'],
  [5, 'HW_SECURE_CRYPTO'],
])('Widevine level %i is %s for audio, which browsers do not decode securely', (securityLevel, robustness) => {
  const track = { trackTypes: ['AUDIO' as const, 'SD' as const], widevine: { securityLevel, hdcp: 'none' as const } };
  expect(robustnessFor('widevine', [track], atVendor)).toMatchObject({ AUDIO: robustness });
});

test.each([
  [150, '150'],
  [2000, '2000'],
  [3000, '3000'],
] as const)('PlayReady level %i is "%s"', (securityLevel, robustness) => {
  const track = { trackTypes: ['SD' as const], playready: { securityLevel, outputProtection: 'none' as const } };
  expect(robustnessFor('playready', [track], atVendor)).toEqual({ SD: robustness });
});

test('each track type has its own robustness', () => {
  expect(robustnessFor('widevine', tracks, atVendor)).toEqual({
    AUDIO: 'SW_SECURE_CRYPTO',
    SD: 'SW_SECURE_CRYPTO',
    HD: 'HW_SECURE_CRYPTO',
    UHD1: 'HW_SECURE_ALL',
  });
});

test.each(['fairplay', 'wiseplay'] as const)('%s has no robustness', (drmSystem) => {
  expect(robustnessFor(drmSystem, tracks, atVendor)).toBeUndefined();
});

test('ClearKey has no robustness, whichever DRM system it replaces', () => {
  expect(robustnessFor('widevine', tracks, withBackend('clearkey'))).toBeUndefined();
});
