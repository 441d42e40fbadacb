const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const base64Url = /^[A-Za-z0-9_-]+$/;

/** Decodes base64 (RFC 4648, section 4), line breaks and blanks allowed; undefined for anything else, the empty text too. */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\t\n\r ]/g, '');
  return compact.length % 4 === 0 && base64.test(compact) ? Buffer.from(compact, 'base64') : undefined;
}

/** Decodes base64url without padding (RFC 4648, section 5); undefined for anything else. */
export function decodeBase64Url(text: string): Buffer | undefined {
  return text.length % 4 !== 1 && base64Url.test(text) ? Buffer.from(text, 'base64url') : undefined;
}
