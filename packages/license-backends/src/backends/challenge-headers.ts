import { isUtf8Text } from './answers';
import type { LicenseCall } from './license-backend';

/**
 * The header that PlayReady clients send with a license request (SOAP action of Microsoft's license acquisition
 * protocol).
 */
const acquireLicenseAction = '"http://schemas.microsoft.com/DRM/2007/03/protocols/AcquireLicense"';

/** The headers of a request whose body is the raw challenge; `challengeHeaders` came from the player. */
export function requestHeaders({ drmSystem, challenge, challengeHeaders }: LicenseCall): Record<string, string> {
  if (drmSystem === 'playready') {
    return {
      // XML in another encoding declares it; a charset here would override that (RFC 7303, section 3).
      'content-type': isUtf8Text(challenge) ? 'text/xml; charset=utf-8' : 'text/xml',
      soapaction: challengeHeaders.SOAPAction ?? acquireLicenseAction,
    };
  }
  // On some devices, WisePlay's message is JSON.
  const isJson = drmSystem === 'wiseplay' && challenge[0] === 0x7b;
  return { 'content-type': isJson ? 'application/json' : 'application/octet-stream' };
}

/** The raw challenge with its headers, but FairPlay's as a form, `spc` first. */
export function challengeOrForm(call: LicenseCall, others: Record<string, string> = {}) {
  if (call.drmSystem !== 'fairplay') return { headers: requestHeaders(call), body: call.challenge };
  const form = new URLSearchParams({ spc: call.challenge.toString('base64'), ...others }).toString();
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: Buffer.from(form) };
}
