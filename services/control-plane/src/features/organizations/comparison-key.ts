import { domainToASCII } from 'node:url';

/**
 * Normalizes a text for comparison: Unicode NFKC without invisible format characters, lower case, trimmed, and each run
 * of white space as one space.
 */
export function comparisonKey(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase()
    .trim()
    .replaceAll(/\s+/g, ' ');
}

/**
 * Normalizes an e-mail address, or the beginning of one, for comparison: like a text, and its domain in ASCII, however it was written
 * (RFC 5890, section 2.3.2.1: `пошта.укр` is `xn--80a1acn3a.xn--j1amh`).
 */
export function emailComparisonKey(address: string): string {
  const key = comparisonKey(address);
  const domain = key.slice(key.lastIndexOf('@') + 1);
  // The function parses more than domains, such as a path after it.
  if (!key.includes('@') || /^\p{ASCII}*$/u.test(domain) || /[\s/?#:[\]\\%]/.test(domain)) return key;
  // Empty if it is none.
  const ascii = domainToASCII(domain);
  return ascii === '' ? key : key.slice(0, -domain.length) + ascii;
}
