/** The names of the two headers that carry an API client's credentials. */
export interface CredentialHeaders {
  clientId: string;
  accessKey: string;
}

/** Returns the header names for the configured prefix, such as `X-SERVICE`. */
export function credentialHeaders(prefix: string): CredentialHeaders {
  return { clientId: `${prefix}-Client-Id`, accessKey: `${prefix}-Client-Secret` };
}
