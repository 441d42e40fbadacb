import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from '../player-requests/base64';
import { withoutByteOrderMark, xmlRoot } from '../player-requests/xml-root';
import type { BackendAnswer, DrmSystem } from './license-backend';
import { challengeRefused, noLicense, refused, settingsRefused, unavailable } from './refusals';

/**
 * Throws the problem that the HTTP status stands for, unless it is a success. PlayReady's protocol answers every error
 * with 500 and a SOAP fault (Axinom, "License Acquisition API / Status Codes"; SOAP 1.1, section 6.2), so such a 500 is
 * a refusal, not an outage.
 */
export function requireSuccess(answer: BackendAnswer, drmSystem: DrmSystem): void {
  const { status, body } = answer;
  const isSuccess = status >= 200 && status < 300;
  if (drmSystem === 'playready' && (isSuccess || status >= 500) && isSoapFault(body)) throw refused(status);
  // Any 2xx counts: server frameworks answer a POST with 201. Without content there is no license.
  if (isSuccess && status !== 204) return;
  if (isSuccess) throw noLicense(status);
  if (status === 401 || status === 403) throw settingsRefused(status);
  // Redirects are not followed. 404 and 405 mean that the server is not a license server.
  if ((status >= 300 && status < 400) || status === 404 || status === 405) throw settingsRefused(status);
  if (status === 400 || status === 415 || status === 422) throw challengeRefused(status);
  if (status === 408 || status === 425 || status === 429) throw unavailable(status);
  if (status >= 400 && status < 500) throw refused(status);
  throw unavailable(status);
}

/**
 * Returns a license unchanged. Rejects only what cannot be one: an empty body, a web page, a plain-text error. Does not
 * inspect the license itself: its format and version are for the CDM to judge.
 */
export function requireLicense(license: Buffer, drmSystem: DrmSystem): Buffer {
  if (license.length === 0 || isWebPage(license) || isPlainTextError[drmSystem](license)) throw noLicense();
  return license;
}

const isPlainTextError: Record<DrmSystem, (license: Buffer) => boolean> = {
  // A protocol buffer, which the CDM takes as bytes (W3C Encrypted Media Extensions, `MediaKeySession.update()`).
  widevine: isUtf8Text,
  // A CKC starts with its version as a four-byte number (Apple, FairPlay Streaming Server SDK 26,
  // `serializeCKCContainer`).
  fairplay: isUtf8Text,
  // SOAP, which is XML (Microsoft, "PlayReady Client-Server Protocol").
  playready: (license) => isUtf8Text(license) && !isXmlAnswer(license.toString('utf8')),
  // The format is not public.
  wiseplay: (license) => errorNamedIn(license) !== undefined,
};

function isXmlAnswer(text: string): boolean {
  const root = xmlRoot(text, () => noLicense());
  return root !== undefined && !/error|fault|exception/i.test(root.name);
}

/** Returns the error that a JSON response names; undefined if the response is not a JSON object or reports no error. */
export function errorNamedIn(answer: Buffer, names = /error|fault/i): unknown {
  const members = jsonObjectOf(answer) ?? {};
  const found = Object.keys(members).find((name) => names.test(name) && !isNoError(members[name]));
  return found === undefined ? undefined : members[found];
}

/**
 * Null, false, an empty value or zeros. Other arrays and objects are not converted to strings, which fails if they nest
 * deeply.
 */
function isNoError(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === false || (typeof value !== 'object' && /^0*$/.test(String(value)));
}

/** Maximum JSON size in bytes, many times that of the largest license. Parsing more would delay other requests. */
const maximumJsonBytes = 256 * 1024;

/** Parses a JSON object; returns undefined for anything else, or if it is too large for a license or an error. */
export function jsonObjectOf(body: Buffer): Record<string, unknown> | undefined {
  if (body.length > maximumJsonBytes || !isUtf8(body)) return undefined;
  const text = withoutByteOrderMark(body.toString('utf8')).trim();
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text); // starts with a brace, so it is an object
  } catch {
    return undefined;
  }
}

/**
 * Decodes base64 or base64url. Throws `license_backend_unavailable` for anything else, including words separated by
 * spaces.
 */
export function base64License(value: unknown): Buffer {
  const license = typeof value === 'string' && !/\S \S/.test(value) ? decodeBase64(value) : undefined;
  if (license === undefined) throw noLicense();
  return license;
}

/**
 * Reads the license in the JSON of Google's license service, `{status, license}`, which DRMtoday uses for Widevine,
 * too. `INTERNAL_ERROR` is transient; other statuses are final. Statuses that name the challenge or a revoked device
 * are the player's problem.
 */
export function widevineJsonLicense(body: Buffer): Buffer {
  const answer = jsonObjectOf(body);
  if (answer === undefined) throw noLicense();
  const { status, license } = answer;
  if (status === 'OK' || (status === undefined && license !== undefined)) return base64License(license);
  if (typeof status !== 'string') throw noLicense();
  if (status === 'INTERNAL_ERROR') throw unavailable(status);
  if (/SIGN|PROVIDER/.test(status)) throw settingsRefused(status);
  if (/CHALLENGE|REVOKED/.test(status)) throw challengeRefused(status);
  throw refused(status);
}

/** Allows a declaration and attributes. */
const ckc = /^(?:<\?xml [^>]*>\s*)?<ckc(?: [^>]*)?>([^<]*)<\/ckc>$/;

/** Returns the license between `<ckc>` and `</ckc>`, as FairPlay key servers send it; undefined for any other form. */
export function ckcElement(body: Buffer): Buffer | undefined {
  const encoded = ckc.exec(body.toString('latin1').trim())?.[1];
  return encoded === undefined ? undefined : decodeBase64(encoded);
}

/** UTF-8 without control characters, which no license in a binary format is. */
export function isUtf8Text(body: Buffer): boolean {
  return isUtf8(body) && !body.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
}

/** A UTF-8 page, with or without a declaration and a byte order mark. */
function isWebPage(body: Buffer): boolean {
  const start = withoutByteOrderMark(body.toString('utf8', 0, 200))
    .trimStart()
    .toLowerCase();
  return /^<(?:!doctype html|html[\s>])/.test(start) || (start.startsWith('<') && start.includes('<html '));
}

/** SOAP 1.1, section 4.4: a fault is a child of the body. Elsewhere the name may mean something else. */
function isSoapFault(body: Buffer): boolean {
  return /<(?:[\w-]{1,30}:)?Body(?:\s[^<>]*)?>\s*<(?:[\w-]{1,30}:)?Fault[\s>]/.test(body.toString('latin1'));
}
