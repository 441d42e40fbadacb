/** Messages between CDMs and license servers of each DRM system. Only their form is real: they unlock nothing. */

import type { DrmSystem } from '../license-backend';

const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

/** A Widevine `SignedMessage`: its type and a message of 256 bytes. */
const widevineMessage = (type: number): Buffer => Buffer.concat([Buffer.from([0x08, type, 0x12, 0x80, 0x02]), bytes]);

const soap = (content: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${content}</soap:Body></soap:Envelope>`;

export const acquireLicenseSoap = Buffer.from(
  soap('<AcquireLicense xmlns="http://schemas.microsoft.com/DRM/2007/03/protocols"><challenge/></AcquireLicense>'),
);

export const soapFault = Buffer.from(
  soap('<soap:Fault><faultcode>soap:Server</faultcode><faultstring>secret of the vendor</faultstring></soap:Fault>'),
);

export const acquireLicenseAction = '"http://schemas.microsoft.com/DRM/2007/03/protocols/AcquireLicense"';

/** The key message of browsers around the SOAP, as text. */
export const playReadyKeyMessage = (
  soapText: Buffer = acquireLicenseSoap,
  action: string = acquireLicenseAction,
): string =>
  '<PlayReadyKeyMessage type="LicenseAcquisition"><LicenseAcquisition Version="1">' +
  `<Challenge encoding="base64encoded">${soapText.toString('base64')}</Challenge><HttpHeaders>` +
  '<HttpHeader><name>Content-Type</name><value>text/xml; charset=utf-8</value></HttpHeader>' +
  `<HttpHeader><name>SOAPAction</name><value>${action}</value></HttpHeader>` +
  '</HttpHeaders></LicenseAcquisition></PlayReadyKeyMessage>';

const payloadLength = Buffer.from([0, 0, 1, 0]);

/** An SPC with the header of its version and a payload of 256 bytes (Apple, FairPlay Streaming Server SDK 26). */
const spcOf = (version: number, wrappedKeyBytes: number): Buffer =>
  Buffer.concat([
    Buffer.from([0, 0, 0, version]),
    Buffer.alloc(4),
    Buffer.alloc(16, 0xa1),
    Buffer.alloc(wrappedKeyBytes, 0xb2),
    Buffer.alloc(20, 0xc3),
    payloadLength,
    bytes,
  ]);

/** An SPC of version 1, for a 1024-bit certificate. */
export const spc = spcOf(1, 128);

/** SPCs of the versions with a known header, and of version 3, whose header has other lengths. */
export const spcs = {
  'version 1': spc,
  'version 2': spcOf(2, 256),
  'version 3': Buffer.concat([
    Buffer.from([0, 0, 0, 3]),
    Buffer.alloc(4),
    Buffer.alloc(16, 0xa1),
    Buffer.alloc(256, 0xb2),
    Buffer.alloc(32, 0xc3),
    Buffer.alloc(12),
    payloadLength,
    bytes,
    Buffer.alloc(16, 0xd4),
  ]),
} as const;

/** Raw challenges, as license servers receive them. */
export const challenges: Record<DrmSystem, Buffer> = {
  widevine: widevineMessage(1),
  playready: acquireLicenseSoap,
  fairplay: spc,
  wiseplay: Buffer.concat([Buffer.from('WPRQ'), bytes]),
};

/** Raw licenses, as players receive them. */
export const licenses: Record<DrmSystem, Buffer> = {
  widevine: widevineMessage(2),
  playready: Buffer.from(soap('<AcquireLicenseResponse xmlns="http://schemas.microsoft.com/DRM/2007/03/protocols"/>')),
  fairplay: Buffer.concat([Buffer.from([0, 0, 0, 1]), bytes]),
  wiseplay: Buffer.concat([Buffer.from('WPLC'), bytes]),
};
