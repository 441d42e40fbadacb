import { getPlatformCapabilities } from './get-platform-capabilities';

interface PlatformEndpointsOptions {
  /** The agreement that registrations accept. */
  agreement: { version: string; url?: string | undefined };
}

/** What the platform can do. */
export function platformEndpoints({ agreement }: PlatformEndpointsOptions) {
  return [getPlatformCapabilities(agreement)];
}
