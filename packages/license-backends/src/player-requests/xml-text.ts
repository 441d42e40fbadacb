import { isUtf8 } from 'node:buffer';
import { challengeInvalid } from './challenge-invalid';

/**
 * Decodes XML well enough to read its markup: UTF-16 if it starts with a byte order mark or `<` in UTF-16 (XML 1.0,
 * appendix F), otherwise UTF-8, otherwise an encoding in which markup characters are ASCII.
 *
 * Throws `license_challenge_invalid` if a UTF-16 text ends within a character.
 */
export function xmlText(body: Buffer): string {
  const start = body.toString('hex', 0, 2);
  const isLittleEndian = start === 'fffe' || start === '3c00';
  const isBigEndian = start === 'feff' || start === '003c';
  if (!isLittleEndian && !isBigEndian) return body.toString(isUtf8(body) ? 'utf8' : 'latin1');
  if (body.length % 2 !== 0) throw challengeInvalid('The UTF-16 text is truncated.');
  return (isBigEndian ? Buffer.from(body).swap16() : body).toString('utf16le');
}
