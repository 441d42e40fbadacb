import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from '../player-requests/base64';
import { isWholeMessage } from '../player-requests/widevine-request';
import type { BackendAnswer, DrmSystem } from './license-backend';
import { challengeRefused, noLicense, refused, settingsRefused, unavailable } from './refusals';

/**
 * Returns where the HTTP status is one of success, and throws what it stands for otherwise. PlayReady's protocol answers
 * every error with 500 and a SOAP fault (Axinom, "License Acquisition API / Status Codes"; SOAP 1.1, section 6.2): that is
 * a refusal and no outage.
 */
export function requireSuccess(answer: BackendAnswer, drmSystem: DrmSystem): void {
  const { status, body } = answer;
  if (drmSystem === 'playready' && (status === 200 || status >= 500) && isSoapFault(body)) throw refused(status);
  if (status === 200) return;
  if (status > 200 && status < 300) throw noLicense(status);
  if (status === 401 || status === 403) throw settingsRefused(status);
  // Redirects are not followed; 404 and 405: a server, but no license server.
  if ((status >= 300 && status < 400) || status === 404 || status === 405) throw settingsRefused(status);
  if (status === 400 || status === 415 || status === 422) throw challengeRefused(status);
  if (status === 408 || status === 425 || status === 429) throw unavailable(status);
  if (status >= 400 && status < 500) throw refused(status);
  throw unavailable(status);
}

/**
 * Passes on what has the form of a license of this DRM system; anything else in its place, such as text that happens to be
 * base64, is a server that babbles.
 */
export function requireLicense(license: Buffer, drmSystem: DrmSystem): Buffer {
  if (license.length === 0 || isWebPage(license) || !hasForm[drmSystem](license)) throw noLicense();
  return license;
}

const hasForm: Record<DrmSystem, (license: Buffer) => boolean> = {
  widevine: (license) => !isText(license) && isWholeMessage(license),
  playready: isPlayReadyAnswer,
  // A CKC begins with its version in four bytes ("FairPlay Streaming Overview", Apple).
  fairplay: (license) => license.length > 20 && license.readUInt32BE(0) > 0 && license.readUInt32BE(0) < 256,
  // The form is not public. JSON that names an error is none.
  wiseplay: (license) => !Object.keys(jsonObjectOf(license) ?? {}).some((name) => /error|fault/i.test(name)),
};

/** The JSON object of an answer; undefined where it is none. */
export function jsonObjectOf(body: Buffer): Record<string, unknown> | undefined {
  if (!isUtf8(body)) return undefined;
  const text = body.toString('utf8').trim();
  if (!text.startsWith('{')) return undefined;
  try {
    return Object.fromEntries(Object.entries(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** Decodes an answer in base64; anything else babbles. */
export function base64License(value: unknown): Buffer {
  const license = typeof value === 'string' ? decodeBase64(value) : undefined;
  if (license === undefined) throw noLicense();
  return license;
}

/**
 * The license in the JSON of Google's license service, `{status, license}`, which DRMtoday's Widevine answer has the
 * shape of as well. `INTERNAL_ERROR` is transient; other statuses are final.
 */
export function widevineJsonLicense(body: Buffer): Buffer {
  const answer = jsonObjectOf(body);
  if (answer === undefined) throw noLicense();
  const { status, license } = answer;
  if (status === 'OK' || (status === undefined && license !== undefined)) return base64License(license);
  if (typeof status !== 'string') throw noLicense();
  if (status === 'INTERNAL_ERROR') throw unavailable(status);
  if (/SIGN|PROVIDER/.test(status)) throw settingsRefused(status);
  if (/CHALLENGE/.test(status)) throw challengeRefused(status);
  throw refused(status);
}

/** The license between `<ckc>` and `</ckc>`, as FairPlay key servers write it; undefined where that is not the form. */
export function ckcElement(body: Buffer): Buffer | undefined {
  const text = body.toString('latin1').trim();
  if (!text.startsWith('<ckc>') || !text.endsWith('</ckc>')) return undefined;
  return decodeBase64(text.slice('<ckc>'.length, -'</ckc>'.length));
}

/** UTF-8 without control characters: no license of a binary format is. */
export function isText(body: Buffer): boolean {
  return isUtf8(body) && !body.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
}

const startOf = (body: Buffer): string => body.subarray(0, 200).toString('latin1').trimStart().toLowerCase();

function isWebPage(body: Buffer): boolean {
  const start = startOf(body);
  return start.startsWith('<!doctype html') || start.startsWith('<html') || start.includes('<html ');
}

/** A SOAP answer of the license acquisition protocol: a license, or the receipt for an acknowledgement of one. */
function isPlayReadyAnswer(body: Buffer): boolean {
  const text = body.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  return /^\s*</.test(text) && /<(?:[A-Za-z][\w-]{0,30}:)?(?:Acquire|Acknowledge)LicenseResponse[\s/>]/.test(text);
}

function isSoapFault(body: Buffer): boolean {
  return /<(?:[A-Za-z][\w-]{0,30}:)?Fault[\s>]/.test(body.toString('latin1'));
}
