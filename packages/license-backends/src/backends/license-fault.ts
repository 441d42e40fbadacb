import { axinomKeys } from './axinom';
import type { BackendSettings } from './backend-settings';
import { requireClearKeys } from './clearkey';
import { doveRunnerTracks } from './doverunner-policy';
import { outputProtectionOf } from './drmtoday-output-protection';
import type { LicenseTerms } from './license-backend';
import { type CreationCode, NotExpressible } from './refusals';
import { servedSystems } from './served-systems';
import { keySpecifications } from './widevine-proxy';

type BackendType = BackendSettings['type'];

/** What is known of a license before there is a session. */
export interface PlannedLicense {
  drmSystem: LicenseTerms['drmSystem'];
  /** The allowed tracks, each with rules for the DRM system. */
  tracks: LicenseTerms['policy']['tracks'];
  /** Every key of the content; `isKept`: the key itself lies here, for ClearKey. */
  keys: (Pick<LicenseTerms['keys'][number], 'keyId' | 'trackTypes'> & { isKept: boolean })[];
}

/** Why no license could be had. `detail` is public, and begins with "The environment's license backend". */
export interface LicenseFault {
  code: CreationCode;
  detail: string;
}

/** What each backend builds its request from: these throw `NotExpressible` where there is nothing to ask the vendor for. */
const builders: Record<BackendType, (terms: LicenseTerms) => unknown> = {
  clearkey: requireClearKeys,
  'widevine-proxy': keySpecifications,
  axinom: axinomKeys,
  drmtoday: outputProtectionOf,
  doverunner: doveRunnerTracks,
  /** Its server gets the policy as it is. */
  http: () => undefined,
};

/**
 * Why a backend of this type gives no license under these tracks for content with these keys; null where it may. Runs what
 * builds the vendor's request, so that it says the same as a license request would. A type that is not known here, of a
 * newer control plane, is not judged.
 */
export function licenseFault(type: string, { drmSystem, tracks, keys }: PlannedLicense): LicenseFault | null {
  if (!isBackendType(type)) return null;
  if (!servedSystems[type].includes(drmSystem)) {
    return {
      code: 'drm_system_not_supported',
      detail: `The environment's license backend does not serve ${drmSystem}.`,
    };
  }
  // Only whether a key is kept counts here, not its bytes.
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
