import { randomUUID } from 'node:crypto';
import type { LicenseTransport } from '@multi-drm/license-backends';
import type { AddressGuard, Secrets } from '@multi-drm/service-kit';
import { endpoint } from '../../access/endpoint';
import { conditionalChangeOf, updateOf } from '../change-of-request';
import type { FeatureOptions } from '../feature-options';
import type { LicenseWarningService } from '../license-warnings/license-warning-service';
import { DrmSystemService } from './drm-system-service';
import { DrmSystemTester } from './drm-system-tester';

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
    endpoint({
      operationId: 'getDrmSystem',
      access: { permission: 'drm-systems:read', scope: 'environment' },
      handle: async ({ params }) => drmSystems.read(params.environmentId, params.drmSystem),
    }),
    endpoint({
      operationId: 'configureDrmSystem',
      access: { permission: 'drm-systems:write', scope: 'environment' },
      handle: async (input) =>
        drmSystems.configure(
          input.params.environmentId,
          input.params.drmSystem,
          input.body,
          conditionalChangeOf(input),
        ),
    }),
    endpoint({
      operationId: 'updateDrmSystem',
      access: { permission: 'drm-systems:write', scope: 'environment' },
      handle: async (input) =>
        drmSystems.setEnabled(input.params.environmentId, input.params.drmSystem, input.body.enabled, updateOf(input)),
    }),
    endpoint({
      operationId: 'removeDrmSystem',
      access: { permission: 'drm-systems:write', scope: 'environment' },
      handle: async (input) => {
        const { params } = input;
        await drmSystems.remove(params.environmentId, params.drmSystem, conditionalChangeOf(input));
        return { status: 204 };
      },
    }),
    endpoint({
      operationId: 'testDrmSystem',
      access: { permission: 'drm-systems:write', scope: 'environment' },
      handle: async ({ params, body }) => ({
        status: 200,
        body: await tester.test(params.environmentId, params.drmSystem, body ?? {}),
      }),
    }),
  ];
}
