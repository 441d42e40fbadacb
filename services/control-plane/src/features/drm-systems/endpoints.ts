import { randomUUID } from 'node:crypto';
import type { LicenseTransport } from '@multi-drm/license-backends';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import type { FeatureOptions } from '../feature-options';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { configureDrmSystem } from './configure-drm-system';
import { DrmSystemService } from './drm-system-service';
import { DrmSystemTester } from './drm-system-tester';
import { getDrmSystem } from './get-drm-system';
import { removeDrmSystem } from './remove-drm-system';
import { testDrmSystem } from './test-drm-system';
import { updateDrmSystem } from './update-drm-system';

interface DrmSystemEndpointsOptions extends FeatureOptions {
  secrets: Secrets;
  /** Decides which addresses license servers may have. */
  guard: AddressGuard;
  /** Sends test requests to license servers. */
  licenseTransport: LicenseTransport;
  warnings: LicenseWarningService;
}

/** The operations on the DRM systems of environments, with their services. */
export function drmSystemEndpoints(options: DrmSystemEndpointsOptions) {
  const { database, secrets, licenseTransport, now } = options;
  const drmSystems = new DrmSystemService(options);
  const tester = new DrmSystemTester({
    database,
    secrets,
    transport: licenseTransport,
    now,
    elapsed: () => performance.now(),
    randomUuid: randomUUID,
  });
  return [
    getDrmSystem(drmSystems),
    configureDrmSystem(drmSystems),
    updateDrmSystem(drmSystems),
    removeDrmSystem(drmSystems),
    testDrmSystem(tester),
  ];
}
