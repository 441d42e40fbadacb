import { isText } from '../backends/answers';
import { decodeBase64 } from './base64';
import { challengeInvalid } from './challenge-invalid';

/** Before the payload: version, reserved, initialization vector, wrapped key, hash, payload length. */
const headerBytes = 4 + 4 + 16 + 128 + 20 + 4;

/**
 * The server playback context in a player's request: raw, as `spc` of a form (base64), or as `spc` of a JSON object
 * (base64). An SPC begins with its version in four bytes, so that it is neither text nor a form.
 */
export function readSpc(body: Buffer): Buffer {
  return requireSpc(isText(body) ? spcInText(body.toString('utf8').trim()) : body);
}

function spcInText(text: string): Buffer {
  const value = text.startsWith('{') ? spcInJson(text) : spcInForm(text);
  if (value === undefined) {
    throw challengeInvalid('An SPC is binary, `spc` of a form or `spc` of a JSON object; this is other text.');
  }
  const spc = decodeBase64(value);
  if (spc === undefined) throw challengeInvalid('`spc` is not base64, or is truncated.');
  return spc;
}

function spcInForm(text: string): string | undefined {
  // A plus sign that was not encoded reads as a blank.
  return new URLSearchParams(text).get('spc')?.replaceAll(' ', '+');
}

function spcInJson(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw challengeInvalid('The JSON with `spc` is broken or truncated.');
  }
  const spc = typeof value === 'object' && value !== null && 'spc' in value ? value.spc : undefined;
  return typeof spc === 'string' ? spc : undefined;
}

/** Versions 1 and 2 say how long they are ("FairPlay Streaming Overview", Apple); later ones are not looked into. */
function requireSpc(spc: Buffer): Buffer {
  if (isText(spc)) throw challengeInvalid('The SPC is text; it must be binary.');
  if (spc.length <= headerBytes) throw challengeInvalid('The SPC is truncated.');
  const version = spc.readUInt32BE(0);
  const isKnown = version === 1 || version === 2;
  if (isKnown && headerBytes + spc.readUInt32BE(headerBytes - 4) > spc.length) {
    throw challengeInvalid('The SPC is truncated.');
  }
  return spc;
}
