import { isUtf8Text } from '../backends/answers';
import { decodeBase64 } from './base64';
import { challengeInvalid } from './challenge-invalid';
import { fieldOf, multipartFormOf } from './multipart-form';

/**
 * Extracts the server playback context from a player's request: the body itself, or the field `spc` of a form, a
 * multipart form or a JSON object. An SPC starts with its version in four bytes, so it cannot be mistaken for text or a
 * form.
 *
 * Throws `license_challenge_invalid`.
 */
export function readSpc(body: Buffer): Buffer {
  const form = multipartFormOf(body);
  const value = form === undefined ? body : fieldOf(form, 'spc');
  if (value === undefined) throw challengeInvalid('The multipart form has no field `spc`.');
  if (!isUtf8Text(value)) return requireSpc(value);
  const text = value.toString('utf8').trim();
  return requireSpc(form === undefined ? spcInText(text) : decodeSpc(text));
}

function spcInText(text: string): Buffer {
  const value = text.startsWith('{') ? spcInJson(text) : spcInForm(text);
  if (value === undefined) {
    throw challengeInvalid(
      'An SPC must be binary, or the field `spc` of a form, a multipart form or a JSON object; this is other text.',
    );
  }
  return decodeSpc(value);
}

/**
 * A form that was percent-encoded once more as a whole, as in Shaka Player's FairPlay tutorial, parses as a single
 * name.
 */
function spcInForm(text: string): string | undefined {
  const fields = new URLSearchParams(text);
  const [firstName = ''] = fields.keys();
  const value = fields.get('spc') ?? new URLSearchParams(firstName).get('spc');
  // A plus sign that was not encoded parses as a space.
  return value?.replaceAll(' ', '+');
}

function spcInJson(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw challengeInvalid('The JSON with `spc` is invalid or truncated.');
  }
  const spc = typeof value === 'object' && value !== null && 'spc' in value ? value.spc : undefined;
  return typeof spc === 'string' ? spc : undefined;
}

/** Percent signs are in neither base64 alphabet, so a value with percent signs was encoded twice. */
function decodeSpc(value: string): Buffer {
  const spc = decodeBase64(value.includes('%') ? percentDecoded(value) : value);
  if (spc === undefined) throw challengeInvalid('`spc` is not base64, or is truncated.');
  return spc;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw challengeInvalid('`spc` is not base64, or is truncated.');
  }
}

/**
 * Length of the wrapped key by version: 1024-bit certificates use SPC version 1, 2048-bit certificates version 2
 * (Apple, FairPlay Streaming Server SDK 26: `SPCVersion`, `parseSPCContainer`).
 */
const wrappedKeyBytes = new Map([
  [1, 128],
  [2, 256],
]);

/**
 * Checks the header of known versions: version, reserved, initialization vector, wrapped key, certificate hash, payload
 * length. SPCs of other versions pass at any length: version 3 already has another header.
 */
function requireSpc(spc: Buffer): Buffer {
  if (isUtf8Text(spc)) throw challengeInvalid('The SPC is text; it must be binary.');
  if (spc.length < 4) throw challengeInvalid('The SPC is truncated.');
  const wrappedKey = wrappedKeyBytes.get(spc.readUInt32BE(0));
  if (wrappedKey === undefined) return spc;
  const headerBytes = 4 + 4 + 16 + wrappedKey + 20 + 4;
  if (spc.length < headerBytes || spc.length < headerBytes + spc.readUInt32BE(headerBytes - 4)) {
    throw challengeInvalid('The SPC is truncated.');
  }
  return spc;
}
