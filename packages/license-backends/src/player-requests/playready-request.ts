import { isText } from '../backends/answers';
import type { LicenseCall } from '../backends/license-backend';
import { decodeBase64 } from './base64';
import { challengeInvalid } from './challenge-invalid';
import { readXml, type XmlElement } from './read-xml';
import { withoutMark, xmlRoot } from './xml-root';
import { xmlText } from './xml-text';

type PlayReadyRequest = Pick<LicenseCall, 'challenge' | 'challengeHeaders'>;

/**
 * What a PlayReady client sends: the key message of browsers, XML in UTF-16 with the SOAP in base64 and the headers to
 * send with it (Microsoft, "Key Message (keyMessage)"); or, from native clients, the SOAP itself, which is XML
 * (Microsoft, "PlayReady Client-Server Protocol"). Each may come in base64.
 *
 * A key message is taken apart. Of any other XML only the root is looked at, and it passes untouched: what is in it, and
 * whether it is SOAP at all, is for the license server to judge.
 */
export function readPlayReadyRequest(body: Buffer): PlayReadyRequest {
  const challenge = isText(body) ? (decodeBase64(body.toString('utf8')) ?? body) : body;
  const text = xmlText(challenge);
  if (requireXml(text) === 'PlayReadyKeyMessage') return readKeyMessage(readXml(withoutMark(text), challengeInvalid));
  return { challenge, challengeHeaders: {} };
}

/** The name of the root. */
function requireXml(text: string): string {
  const root = xmlRoot(text, challengeInvalid);
  if (root === undefined) throw challengeInvalid("PlayReady's challenge is XML; this is not XML.");
  if (root.name.toLowerCase() === 'html') throw challengeInvalid('This is a web page, and no PlayReady challenge.');
  if (root.isTruncated) throw challengeInvalid('The XML is truncated.');
  return root.name;
}

function readKeyMessage(root: XmlElement): PlayReadyRequest {
  const acquisition = childrenOf(root, 'LicenseAcquisition').at(0);
  const challenges = acquisition === undefined ? [] : childrenOf(acquisition, 'Challenge');
  const [challenge] = challenges;
  if (acquisition === undefined || challenge === undefined || challenges.length > 1) {
    throw challengeInvalid('The PlayReadyKeyMessage has no LicenseAcquisition with one Challenge.');
  }
  const soap = decodeBase64(challenge.text);
  if (soap === undefined) throw challengeInvalid('The Challenge of the PlayReadyKeyMessage is not base64.');
  requireXml(xmlText(soap));
  const headers = childrenOf(acquisition, 'HttpHeaders').flatMap((element) => childrenOf(element, 'HttpHeader'));
  return { challenge: soap, challengeHeaders: headersOf(headers) };
}

/** The actions of PlayReady's protocols, of whatever version (today `http://schemas.microsoft.com/DRM/2007/03/protocols/…`). */
const soapAction = /^"?(https?:\/\/schemas\.microsoft\.com\/DRM\/[A-Za-z0-9/._-]{1,128})"?$/;

/**
 * The headers to copy, of which the protocol needs one: the SOAP action. The content type is always that of SOAP, and
 * a player must not set a header that a license server takes a token or an address from.
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
