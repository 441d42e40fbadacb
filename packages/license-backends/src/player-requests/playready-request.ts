import { isUtf8Text } from '../backends/answers';
import type { LicenseCall } from '../backends/license-backend';
import { decodeBase64 } from './base64';
import { challengeInvalid } from './challenge-invalid';
import { readXml, type XmlElement } from './read-xml';
import { withoutByteOrderMark, xmlRoot } from './xml-root';
import { xmlText } from './xml-text';

type PlayReadyRequest = Pick<LicenseCall, 'challenge' | 'challengeHeaders'>;

/**
 * Parses a PlayReady client's request. Browsers send a key message: XML in UTF-16 with the SOAP in base64 and the
 * headers to send with it (Microsoft, "Key Message (keyMessage)"). Native clients send the SOAP itself, which is XML
 * (Microsoft, "PlayReady Client-Server Protocol"). Both may be base64-encoded.
 *
 * A key message is parsed. Any other XML passes unchanged after a check of its root element: its content, and whether
 * it is SOAP at all, is for the license server to judge.
 */
export function readPlayReadyRequest(body: Buffer): PlayReadyRequest {
  const challenge = isUtf8Text(body) ? (decodeBase64(body.toString('utf8')) ?? body) : body;
  const text = xmlText(challenge);
  if (requireXml(text) === 'PlayReadyKeyMessage')
    return readKeyMessage(readXml(withoutByteOrderMark(text), challengeInvalid));
  return { challenge, challengeHeaders: {} };
}

/** Returns the name of the root element. */
function requireXml(text: string): string {
  const root = xmlRoot(text, challengeInvalid);
  if (root === undefined) throw challengeInvalid('A PlayReady challenge must be XML; this is not XML.');
  if (root.name.toLowerCase() === 'html') throw challengeInvalid('This is a web page, not a PlayReady challenge.');
  if (root.isTruncated) throw challengeInvalid('The XML is truncated.');
  return root.name;
}

function readKeyMessage(root: XmlElement): PlayReadyRequest {
  const acquisition = childrenOf(root, 'LicenseAcquisition').at(0);
  const challenges = acquisition === undefined ? [] : childrenOf(acquisition, 'Challenge');
  const [challenge] = challenges;
  if (acquisition === undefined || challenge === undefined || challenges.length > 1) {
    throw challengeInvalid('The PlayReadyKeyMessage must have a LicenseAcquisition with exactly one Challenge.');
  }
  const soap = decodeBase64(challenge.text);
  if (soap === undefined) throw challengeInvalid('The Challenge of the PlayReadyKeyMessage is not base64.');
  requireXml(xmlText(soap));
  const headers = childrenOf(acquisition, 'HttpHeaders').flatMap((element) => childrenOf(element, 'HttpHeader'));
  return { challenge: soap, challengeHeaders: headersOf(headers) };
}

/** Actions of any version of PlayReady's protocols (today `http://schemas.microsoft.com/DRM/2007/03/protocols/…`). */
const soapAction = /^"?(https?:\/\/schemas\.microsoft\.com\/DRM\/[A-Za-z0-9/._-]{1,128})"?$/;

/**
 * Copies the SOAP action, the only header that the protocol needs. The content type is always that of SOAP, and a
 * player must not set headers from which a license server takes a token or an address.
 */
function headersOf(headers: XmlElement[]): Record<string, string> {
  for (const header of headers) {
    const name = childrenOf(header, 'name').at(0)?.text.trim().toLowerCase();
    const action = soapAction.exec(childrenOf(header, 'value').at(0)?.text.trim() ?? '')?.[1];
    if (name === 'soapaction' && action !== undefined) return { SOAPAction: `"${action}"` };
  }
  return {};
}

function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name);
}
