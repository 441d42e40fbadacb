import { KnownCredentials } from '@multi-drm/service-kit';
import type { Request } from 'express';
import { credentialHeaders } from './credential-headers';

/** API clients whose credentials were valid when this process last saw them. */
export class KnownClients {
  private readonly known = new KnownCredentials<{ organizationId: string }>();

  private readonly clientId: string;
  private readonly accessKey: string;

  /** `headerPrefix`: of the two headers that carry the credentials, such as `X-SERVICE`. */
  constructor(headerPrefix: string) {
    const { clientId, accessKey } = credentialHeaders(headerPrefix);
    this.clientId = clientId.toLowerCase();
    this.accessKey = accessKey.toLowerCase();
  }

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

  private credentialsOf({ headers }: Request): string {
    return `${headers[this.clientId] ?? ''} ${headers[this.accessKey] ?? ''}`;
  }
}
