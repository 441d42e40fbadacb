import { isUtf8 } from 'node:buffer';
import type { LicenseCall } from '../backends/license-backend';
import { decodeBase64 } from './base64';
import { challengeInvalid } from './challenge-invalid';
import { readXml, type XmlElement } from './read-xml';

type PlayReadyRequest = Pick<LicenseCall, 'challenge' | 'challengeHeaders'>;

/**
 * What a PlayReady client sends: the key message of browsers, XML in UTF-16 with the SOAP in base64 and the headers to
 * send with it; or, from native clients, the SOAP itself.
 */
export function readPlayReadyRequest(body: Buffer): PlayReadyRequest {
  const { text, isUtf16 } = textOf(body);
  const root = readXml(text, challengeInvalid);
  if (root.name === 'PlayReadyKeyMessage') return readKeyMessage(root);
  if (localName(root.name) !== 'Envelope' || isUtf16) {
    throw challengeInvalid('The XML is neither a PlayReadyKeyMessage nor SOAP in UTF-8.');
  }
  return { challenge: body, challengeHeaders: {} };
}

function textOf(body: Buffer): { text: string; isUtf16: boolean } {
  const isUtf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0x3c && body[1] === 0);
  if (isUtf16 && body.length % 2 !== 0) throw challengeInvalid('The UTF-16 text is truncated.');
  if (!isUtf16 && !isUtf8(body))
    throw challengeInvalid("PlayReady's challenge is XML in UTF-16 (little-endian) or UTF-8.");
  const text = body.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
  return { text, isUtf16 };
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
  if (!isUtf8(soap)) throw challengeInvalid('The Challenge of the PlayReadyKeyMessage is not SOAP in UTF-8.');
  const envelope = readXml(soap.toString('utf8').replace(/^\ufeff/, ''), challengeInvalid);
  if (localName(envelope.name) !== 'Envelope')
    throw challengeInvalid('The Challenge of the PlayReadyKeyMessage is no SOAP.');

  const headers = childrenOf(acquisition, 'HttpHeaders').flatMap((element) => childrenOf(element, 'HttpHeader'));
  return { challenge: soap, challengeHeaders: headersOf(headers) };
}

/** The actions of the license acquisition protocol. */
const soapAction = /^"?(http:\/\/schemas\.microsoft\.com\/DRM\/2007\/03\/protocols\/[A-Za-z]{1,64})"?$/;

/**
 * The headers to copy, as far as the protocol knows them: the SOAP action. The content type is always that of SOAP, and
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

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
