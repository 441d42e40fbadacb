import { LicenseTransport } from '@multi-drm/license-backends';
import type { AddressGuard } from '@multi-drm/service-kit';

/**
 * The transport of test requests to license servers. Each is sent, regardless of earlier failures; only a few run at
 * once per environment and DRM system, so that a server that hangs does not exhaust the control plane.
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
