import { endpoint } from '../../access/endpoint';
import { platformCapabilities } from './platform-capabilities';

/**
 * GET /api/v1/platform/capabilities: DRM and media capabilities of the target platforms, and the agreement that
 * registrations accept.
 */
export const getPlatformCapabilities = (agreement: { version: string; url?: string | undefined }) =>
  endpoint({
    operationId: 'getPlatformCapabilities',
    access: 'public',
    handle: async () => ({
      status: 200,
      body: {
        ...platformCapabilities,
        serviceAgreement: { version: agreement.version, url: agreement.url ?? null },
      },
    }),
  });
