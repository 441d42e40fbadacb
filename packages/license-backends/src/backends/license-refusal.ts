import type { LicenseRefusal, PlannedLicense } from '@multi-drm/policy';
import { axinomKeys } from './axinom';
import type { BackendSettings } from './backend-settings';
import { requireClearKeys } from './clearkey';
import { doveRunnerTracks } from './doverunner-policy';
import { outputProtectionOf } from './drmtoday-output-protection';
import type { LicenseTerms } from './license-backend';
import { NotExpressible } from './refusals';
import { servedSystems } from './served-systems';
import { keySpecifications } from './widevine-proxy';

type BackendType = BackendSettings['type'];

/**
 * The functions that build each backend's request. They throw `NotExpressible` if there is nothing to ask the vendor
 * for.
 */
const builders: Record<BackendType, (terms: LicenseTerms) => unknown> = {
  clearkey: requireClearKeys,
  'widevine-proxy': keySpecifications,
  axinom: axinomKeys,
  drmtoday: outputProtectionOf,
  doverunner: doveRunnerTracks,
  /** The server gets the policy as it is. */
  http: () => undefined,
};

/**
 * Returns why a backend of this type cannot issue a license under these tracks for content with these keys; null if it
 * can. Runs the same code as a license request, so that both agree. Unknown types, from a newer control plane, are not
 * judged.
 */
export function licenseRefusal(type: string, { drmSystem, tracks, keys }: PlannedLicense): LicenseRefusal | null {
  if (!isBackendType(type)) return null;
  if (!servedSystems[type].includes(drmSystem)) {
    return {
      code: 'drm_system_not_supported',
      detail: `The environment's license backend does not serve ${drmSystem}.`,
    };
  }
  // Only whether a key is stored matters here, not its bytes.
  const planned = keys.map(({ isKept, ...key }) => ({ ...key, key: isKept ? Buffer.alloc(16) : null }));
  try {
    builders[type]({ drmSystem, policy: { tracks }, keys: planned });
    return null;
  } catch (error) {
    if (error instanceof NotExpressible) return { code: error.creationCode, detail: error.detail };
    throw error;
  }
}

function isBackendType(type: string): type is BackendType {
  return Object.hasOwn(builders, type);
}
