import type { ControlPlaneSchemas } from '@multi-drm/contracts';

type DrmSystem = ControlPlaneSchemas['DrmSystem'];

const acquireLicense =
  '<?xml version="1.0" encoding="utf-8"?>' +
  '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
  '<AcquireLicense xmlns="http://schemas.microsoft.com/DRM/2007/03/protocols"><challenge/></AcquireLicense>' +
  '</soap:Body></soap:Envelope>';

/**
 * The challenge sent to a license server if the administrator gave none. Widevine: the request for a service
 * certificate (`SignedMessage` of type 4), which needs no CDM. The others are well-formed but have no content.
 */
export const sampleChallenges: Readonly<Record<DrmSystem, Buffer>> = {
  widevine: Buffer.from([0x08, 0x04]),
  playready: Buffer.from(acquireLicense),
  // Version 1, then reserved bytes, IV, key, certificate hash and zero length.
  fairplay: Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.alloc(172)]),
  wiseplay: Buffer.from('{"payload":""}'),
};
