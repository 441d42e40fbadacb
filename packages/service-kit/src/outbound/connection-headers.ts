/**
 * Headers that belong to the connection, or say how a body goes over it, in lower case (RFC 9110, sections 7.2, 7.6.1, 8.4,
 * 8.6, 10.1.1, 12.5.3): the outbound client leaves them out of what its callers give, and nobody may configure them.
 */
export const connectionHeaders: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate'],
  ...['proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'accept-encoding'],
  'content-encoding',
]);
