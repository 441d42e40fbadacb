/** The two headers that carry an API client's credentials. The prefix is a setting of the operator, such as `X-SERVICE`. */
export function credentialHeaders(prefix: string): { clientId: string; accessKey: string } {
  return { clientId: `${prefix}-Client-Id`, accessKey: `${prefix}-Client-Secret` };
}
