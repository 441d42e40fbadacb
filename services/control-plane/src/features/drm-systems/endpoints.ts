import { randomUUID } from 'node:crypto';
import type { LicenseTransport } from '@multi-drm/license-backends';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import type { FeatureOptions } from '../feature-options';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { configureDrmSystem } from './configure-drm-system';
import { DrmSystemService } from './drm-system-service';
import { DrmSystemStore } from './drm-system-store';
import { DrmSystemTester } from './drm-system-tester';
import { getDrmSystem } from './get-drm-system';
import { testDrmSystem } from './test-drm-system';

interface DrmSystemEndpointsOptions extends FeatureOptions {
  secrets: Secrets;
  /** Decides which addresses license servers may have. */
  guard: AddressGuard;
  /** Sends test requests to license servers. */
  licenseTransport: LicenseTransport;
  warnings: LicenseWarningService;
}

/** The operations on the DRM systems of environments, with their services and store. */
export function drmSystemEndpoints(options: DrmSystemEndpointsOptions) {
  const { prisma, secrets, guard, licenseTransport, warnings, publisher, now } = options;
  const store = new DrmSystemStore(prisma);
  const drmSystems = new DrmSystemService({ store, secrets, guard, warnings, publisher, now });
  const tester = new DrmSystemTester({
    store,
    secrets,
    transport: licenseTransport,
    now,
    elapsed: () => performance.now(),
    randomUuid: randomUUID,
  });
  return [getDrmSystem(drmSystems), configureDrmSystem(drmSystems), testDrmSystem(tester)];
}
