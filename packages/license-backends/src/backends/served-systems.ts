import { Problem } from '@multi-drm/contracts';
import type { BackendSettings } from './backend-settings';
import type { DrmSystem, LicenseCall } from './license-backend';

const all: DrmSystem[] = ['widevine', 'playready', 'fairplay', 'wiseplay'];

/** The DRM systems that each kind of license backend supports. */
export const servedSystems: Record<BackendSettings['type'], readonly DrmSystem[]> = {
  'widevine-proxy': ['widevine'],
  axinom: ['widevine', 'playready', 'fairplay'],
  drmtoday: all,
  doverunner: all,
  http: all,
  /** For any DRM system that it replaces. */
  clearkey: all,
};

export function requireServed({ drmSystem }: LicenseCall, type: BackendSettings['type']): void {
  if (!servedSystems[type].includes(drmSystem)) {
    throw new Problem('license_backend_not_configured', `The license backend ${type} does not serve ${drmSystem}.`);
  }
}
