const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Decodes base64 or base64url (RFC 4648, sections 4 and 5), with or without padding; line breaks and spaces are
 * allowed. Returns undefined for anything else, including the empty string.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\t\n\r ]/g, '');
  if (!base64.test(compact)) return undefined;
  const isWhole = compact.endsWith('=') ? compact.length % 4 === 0 : compact.length % 4 !== 1;
  // Node's `base64` accepts both alphabets.
  return isWhole ? Buffer.from(compact, 'base64') : undefined;
}
