import { endpoint } from '../../access/endpoint';
import { platformCapabilities } from './platform-capabilities';

interface PlatformEndpointsOptions {
  /** The agreement that registrations accept. */
  agreement: { version: string; url?: string | undefined };
}

/** What the platform can do. */
export function platformEndpoints({ agreement }: PlatformEndpointsOptions) {
  return [
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
    }),
  ];
}
