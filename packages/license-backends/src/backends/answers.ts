import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from '../player-requests/base64';
import { withoutMark, xmlRoot } from '../player-requests/xml-root';
import type { BackendAnswer, DrmSystem } from './license-backend';
import { challengeRefused, noLicense, refused, settingsRefused, unavailable } from './refusals';

/**
 * Returns where the HTTP status is one of success, and throws what it stands for otherwise. PlayReady's protocol answers
 * every error with 500 and a SOAP fault (Axinom, "License Acquisition API / Status Codes"; SOAP 1.1, section 6.2): that is
 * a refusal and no outage.
 */
export function requireSuccess(answer: BackendAnswer, drmSystem: DrmSystem): void {
  const { status, body } = answer;
  const isSuccess = status >= 200 && status < 300;
  if (drmSystem === 'playready' && (isSuccess || status >= 500) && isSoapFault(body)) throw refused(status);
  // Any: server frameworks answer a POST with 201. Where there is no content there is no license either.
  if (isSuccess && status !== 204) return;
  if (isSuccess) throw noLicense(status);
  if (status === 401 || status === 403) throw settingsRefused(status);
  // Redirects are not followed; 404 and 405: a server, but no license server.
  if ((status >= 300 && status < 400) || status === 404 || status === 405) throw settingsRefused(status);
  if (status === 400 || status === 415 || status === 422) throw challengeRefused(status);
  if (status === 408 || status === 425 || status === 429) throw unavailable(status);
  if (status >= 400 && status < 500) throw refused(status);
  throw unavailable(status);
}

/**
 * Passes a license on as it is. Only what is certainly none is kept back: nothing, a web page, an error in the clear. A
 * license is not looked into: the CDM knows its format, and a version that is not known here is for the CDM to judge.
 */
export function requireLicense(license: Buffer, drmSystem: DrmSystem): Buffer {
  if (license.length === 0 || isWebPage(license) || isErrorInTheClear[drmSystem](license)) throw noLicense();
  return license;
}

const isErrorInTheClear: Record<DrmSystem, (license: Buffer) => boolean> = {
  // A protocol buffer, which a CDM takes as bytes (W3C Encrypted Media Extensions, `MediaKeySession.update()`).
  widevine: isText,
  // A CKC begins with its version, a number in four bytes (Apple, FairPlay Streaming Server SDK 26, `serializeCKCContainer`).
  fairplay: isText,
  // SOAP, which is XML (Microsoft, "PlayReady Client-Server Protocol").
  playready: (license) => isText(license) && !isXmlAnswer(license.toString('utf8')),
  // The format is not public.
  wiseplay: (license) => errorNamedIn(license) !== undefined,
};

function isXmlAnswer(text: string): boolean {
  const root = xmlRoot(text, () => noLicense());
  return root !== undefined && !/error|fault|exception/i.test(root.name);
}

/** What the JSON of an answer calls an error; undefined where the answer is no JSON object, or says that there is none. */
export function errorNamedIn(answer: Buffer, names = /error|fault/i): unknown {
  const members = jsonObjectOf(answer) ?? {};
  const found = Object.keys(members).find((name) => names.test(name) && !saysNone(members[name]));
  return found === undefined ? undefined : members[found];
}

/** Null, false, empty or zeros. Other lists and objects are not turned into text: nested deep enough, they cannot be. */
function saysNone(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === false || (typeof value !== 'object' && /^0*$/.test(String(value)));
}

/** Of JSON, in bytes: many times what the largest license takes. Parsing more would keep others waiting. */
const maximumJsonBytes = 256 * 1024;

/** The JSON object of an answer; undefined where it is none, or too large to be a license or an error. */
export function jsonObjectOf(body: Buffer): Record<string, unknown> | undefined {
  if (body.length > maximumJsonBytes || !isUtf8(body)) return undefined;
  const text = withoutMark(body.toString('utf8')).trim();
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text); // an object, since it begins as one
  } catch {
    return undefined;
  }
}

/** Decodes an answer in base64 or base64url; anything else babbles, words with blanks between them too. */
export function base64License(value: unknown): Buffer {
  const license = typeof value === 'string' && !/\S \S/.test(value) ? decodeBase64(value) : undefined;
  if (license === undefined) throw noLicense();
  return license;
}

/**
 * The license in the JSON of Google's license service, `{status, license}`, which DRMtoday's Widevine answer has the
 * shape of as well. `INTERNAL_ERROR` is transient; other statuses are final. The player is at fault where its challenge
 * or its revoked device is named.
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

/** A declaration and attributes are passed over. */
const ckc = /^(?:<\?xml [^>]*>\s*)?<ckc(?: [^>]*)?>([^<]*)<\/ckc>$/;

/** The license between `<ckc>` and `</ckc>`, as FairPlay key servers write it; undefined where that is not the form. */
export function ckcElement(body: Buffer): Buffer | undefined {
  const encoded = ckc.exec(body.toString('latin1').trim())?.[1];
  return encoded === undefined ? undefined : decodeBase64(encoded);
}

/** UTF-8 without control characters: no license of a binary format is. */
export function isText(body: Buffer): boolean {
  return isUtf8(body) && !body.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
}

/** A page in UTF-8, with or without a declaration and a byte order mark. */
function isWebPage(body: Buffer): boolean {
  const start = withoutMark(body.toString('utf8', 0, 200))
    .trimStart()
    .toLowerCase();
  return /^<(?:!doctype html|html[\s>])/.test(start) || (start.startsWith('<') && start.includes('<html '));
}

/** SOAP 1.1, section 4.4: a fault is an entry of the body. Anywhere else the name may stand for something else. */
function isSoapFault(body: Buffer): boolean {
  return /<(?:[\w-]{1,30}:)?Body(?:\s[^<>]*)?>\s*<(?:[\w-]{1,30}:)?Fault[\s>]/.test(body.toString('latin1'));
}
