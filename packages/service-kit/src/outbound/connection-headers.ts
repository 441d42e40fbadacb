/**
 * Headers that belong to the connection or to the transfer of a body, in lower case (RFC 9110, sections 7.2, 7.6.1,
 * 8.4, 8.6, 10.1.1, 12.5.3). The outbound client drops them from its callers' headers, and they cannot be configured.
 */
export const connectionHeaders: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate'],
  ...['proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'accept-encoding'],
  'content-encoding',
]);
