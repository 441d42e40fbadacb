import type { LicenseRefusal, PlannedLicense } from '@multi-drm/policy';
import type { BackendType } from './backend-descriptor';
import { backendDescriptors } from './backend-descriptors';
import { NotExpressible } from './refusals';

/**
 * Returns why a backend of this type cannot issue a license under these tracks for content with these keys; null if it
 * can. Runs the same code as a license request, so that both agree. Unknown types, from a newer control plane, are not
 * judged.
 */
export function licenseRefusal(type: string, { drmSystem, tracks, keys }: PlannedLicense): LicenseRefusal | null {
  if (!isBackendType(type)) return null;
  const { systems, plan } = backendDescriptors[type];
  if (!systems.includes(drmSystem)) {
    return {
      code: 'drm_system_not_supported',
      detail: `The environment's license backend does not serve ${drmSystem}.`,
    };
  }
  // Only whether a key is stored matters here, not its bytes.
  const planned = keys.map(({ isKept, ...key }) => ({ ...key, key: isKept ? Buffer.alloc(16) : null }));
  try {
    plan({ drmSystem, policy: { tracks }, keys: planned });
    return null;
  } catch (error) {
    if (error instanceof NotExpressible) return { code: error.creationCode, detail: error.detail };
    throw error;
  }
}

function isBackendType(type: string): type is BackendType {
  return Object.hasOwn(backendDescriptors, type);
}
