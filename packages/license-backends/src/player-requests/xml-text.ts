import { isUtf8 } from 'node:buffer';
import { challengeInvalid } from './challenge-invalid';

/**
 * The characters of XML for a look at its markup: UTF-16 by its byte order mark or its first `<` (XML 1.0, appendix F),
 * else UTF-8, else an encoding whose characters of markup are those of ASCII.
 *
 * Throws the Problem `license_challenge_invalid` where half a character of UTF-16 is missing.
 */
export function xmlText(body: Buffer): string {
  const start = body.toString('hex', 0, 2);
  const isLittleEndian = start === 'fffe' || start === '3c00';
  const isBigEndian = start === 'feff' || start === '003c';
  if (!isLittleEndian && !isBigEndian) return body.toString(isUtf8(body) ? 'utf8' : 'latin1');
  if (body.length % 2 !== 0) throw challengeInvalid('The UTF-16 text is truncated.');
  return (isBigEndian ? Buffer.from(body).swap16() : body).toString('utf16le');
}
