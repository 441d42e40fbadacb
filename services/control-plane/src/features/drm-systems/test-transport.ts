import { LicenseTransport } from '@multi-drm/license-backends';
import type { AddressGuard } from '@multi-drm/service-kit';

/**
 * The way of test requests to license servers. Every one is sent, whatever became of those before; few at once for each
 * environment and DRM system, so that a server that hangs does not use up the control plane.
 */
export function createTestTransport(guard: AddressGuard, timeoutMilliseconds: number): LicenseTransport {
  return new LicenseTransport({
    guard,
    timeoutMilliseconds,
    maximumConnections: 2,
    maximumWaiting: 2,
    failuresToOpen: Number.POSITIVE_INFINITY,
  });
}
