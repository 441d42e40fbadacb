import { KnownCredentials } from '@multi-drm/service-kit';
import type { Request } from 'express';
import { credentialHeaders } from './credential-headers';

/** API clients whose credentials were valid when this process last saw them. */
export class KnownClients {
  private readonly known = new KnownCredentials<{ organizationId: string }>();

  /** `headerPrefix`: of the two headers that carry the credentials, such as `X-SERVICE`. */
  constructor(private readonly headerPrefix: string) {}

  /** The organization of the client that sends this request; undefined: its credentials are not known to be valid. */
  organizationOf(request: Request): string | undefined {
    return this.known.ownerOf(this.credentialsOf(request))?.organizationId;
  }

  remember(request: Request, organizationId: string): void {
    this.known.remember(this.credentialsOf(request), { organizationId });
  }

  forget(request: Request): void {
    this.known.forget(this.credentialsOf(request));
  }

  private credentialsOf(request: Request): string {
    const { clientId, accessKey } = credentialHeaders(this.headerPrefix);
    return `${request.get(clientId) ?? ''} ${request.get(accessKey) ?? ''}`;
  }
}
