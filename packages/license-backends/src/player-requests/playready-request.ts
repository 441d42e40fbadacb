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
 * it is SOAP at all, is for the license server to judge. SOAP without an action gets that of the message in its body.
 */
export function readPlayReadyRequest(body: Buffer): PlayReadyRequest {
  const challenge = isUtf8Text(body) ? (decodeBase64(body.toString('utf8')) ?? body) : body;
  const text = xmlText(challenge);
  if (requireXml(text) === 'PlayReadyKeyMessage')
    return readKeyMessage(readXml(withoutByteOrderMark(text), challengeInvalid));
  return { challenge, challengeHeaders: soapActionOf(text) };
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
  const text = xmlText(soap);
  requireXml(text);
  const headers = childrenOf(acquisition, 'HttpHeaders').flatMap((element) => childrenOf(element, 'HttpHeader'));
  return { challenge: soap, challengeHeaders: { ...soapActionOf(text), ...headersOf(headers) } };
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

const bodyTag = /<(?:[\w.-]{1,64}:)?Body(?:\s[^<>]{0,4096})?>\s*/;
const messageTag = /^<(?:([\w.-]{1,64}):)?([\w.-]{1,64})(?:[\s/][^<>]{0,4096})?>/;

/**
 * The action of the message in a SOAP body: its namespace and its name (Microsoft, "PlayReady Client-Server Protocol"), such as
 * `…/protocols/AcknowledgeLicense`. Empty if the namespace is none of Microsoft's.
 */
function soapActionOf(text: string): Record<string, string> {
  const body = bodyTag.exec(text);
  if (body === null) return {};
  const start = body.index + body[0].length;
  const message = messageTag.exec(text.slice(start));
  if (message === null) return {};
  const [tag, prefix, name] = message;
  const head = text.slice(0, start + tag.length).replaceAll(/\s/g, ' ');
  const declaration = prefix === undefined ? ' xmlns=' : ` xmlns:${prefix}=`;
  // The innermost declaration counts.
  const declared = head.lastIndexOf(declaration);
  if (declared < 0) return {};
  const namespace = /^(?:"([^"]{1,200})"|'([^']{1,200})')/.exec(head.slice(declared + declaration.length));
  const action = soapAction.exec(`${namespace?.[1] ?? namespace?.[2]}/${name}`)?.[1];
  return action === undefined ? {} : { SOAPAction: `"${action}"` };
}

function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name);
}
