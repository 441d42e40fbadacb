import { problemOf } from '../backends/testing/refusal-cases';
import { acquireLicenseAction, acquireLicenseSoap, playReadyKeyMessage } from '../backends/testing/sample-messages';
import { readPlayReadyRequest } from './playready-request';

const read = (body: Buffer | string) => readPlayReadyRequest(Buffer.from(body));
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const marked = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(text)]);
const keyMessage = (content: string) => `<PlayReadyKeyMessage>${content}</PlayReadyKeyMessage>`;
const withChallenge = (encoded: string) =>
  playReadyKeyMessage().replace(acquireLicenseSoap.toString('base64'), () => encoded);
const inLines = (text: string) => `\r\n  ${text.replaceAll(/.{76}/g, '$&\r\n  ')}\r\n`;

test.each([
  ['in UTF-16 with a byte order mark', marked(playReadyKeyMessage())],
  ['in UTF-16 without one', utf16(playReadyKeyMessage())],
  ['in UTF-8', Buffer.from(playReadyKeyMessage())],
  ['with a declaration and a comment', utf16(`<?xml version="1.0"?>\r\n<!-- > -->${playReadyKeyMessage()}\n`)],
  ['with references', utf16(playReadyKeyMessage(acquireLicenseSoap, acquireLicenseAction.replaceAll('"', '&quot;')))],
  ['in base64', Buffer.from(Buffer.from(playReadyKeyMessage()).toString('base64'))],
  ['in UTF-16, then in base64url', Buffer.from(marked(playReadyKeyMessage()).toString('base64url'))],
  ['in UTF-16, big-endian', marked(playReadyKeyMessage()).swap16()],
  ['in UTF-16, big-endian, without a byte order mark', utf16(playReadyKeyMessage()).swap16()],
  ['with the challenge in base64url', Buffer.from(withChallenge(acquireLicenseSoap.toString('base64url')))],
  ['with the challenge in lines', Buffer.from(withChallenge(inLines(acquireLicenseSoap.toString('base64'))))],
  [
    'with unknown elements',
    Buffer.from(playReadyKeyMessage().replace('<Challenge ', '<größe x=">" /><Challenge b=\'>\' ')),
  ],
  ['with an action without quotes', utf16(playReadyKeyMessage(acquireLicenseSoap, acquireLicenseAction.slice(1, -1)))],
])('parses the key message %s', (_name, body) => {
  expect(read(body)).toEqual({
    challenge: acquireLicenseSoap,
    challengeHeaders: { SOAPAction: acquireLicenseAction },
  });
});

test('copies no other header, and no action of another protocol', () => {
  const smuggled = playReadyKeyMessage().replace('<name>Content-Type</name>', '<name>x-dt-auth-token</name>');
  expect(read(utf16(smuggled)).challengeHeaders).toEqual({ SOAPAction: acquireLicenseAction });
  for (const action of ['"http://other.example/AcquireLicense"', `${acquireLicenseAction}&#13;&#10;x: y`]) {
    const { challengeHeaders } = read(utf16(playReadyKeyMessage(acquireLicenseSoap, action)));
    expect(challengeHeaders).toEqual({ SOAPAction: acquireLicenseAction });
  }
});

test('copies an action of a later protocol', () => {
  const action = '"http://schemas.microsoft.com/DRM/2031/01/protocols/v2/AcquireLicense"';
  expect(read(playReadyKeyMessage(acquireLicenseSoap, action)).challengeHeaders).toEqual({ SOAPAction: action });
});

const soap = acquireLicenseSoap.toString();

test.each([
  ['SOAP', soap],
  ['SOAP with a byte order mark', `\ufeff${soap}`],
  ['SOAP in UTF-16', marked(soap)],
  ['SOAP in Latin-1', Buffer.from(soap.replace('utf-8', 'iso-8859-1').replace('<challenge/>', '<ü/>'), 'latin1')],
  [
    'SOAP with unknown elements',
    soap.replace('<challenge/>', `<ü a=">"/>${'<a>'.repeat(100)}${'</a>'.repeat(100)}&b;`),
  ],
  ['SOAP of another version', '<?xml version="1.1"?><e:Envelope xmlns:e="urn:soap:9"><e:Body/></e:Envelope>\0\0'],
  ['XML that is not SOAP', '<!-- later -->\n<LicenseRequest version="5"><a/></LicenseRequest>'],
  ['an element without content', '<LicenseRequest version="5"/>'],
])('%s passes unchanged, also in a key message', (_name, text) => {
  const challenge = Buffer.from(text);
  expect(read(challenge).challenge).toEqual(challenge);
  expect(read(playReadyKeyMessage(challenge)).challenge).toEqual(challenge);
});

const protocols = 'http://schemas.microsoft.com/DRM/2007/03/protocols';
const acknowledgement = soap.replaceAll('AcquireLicense', 'AcknowledgeLicense');
const acknowledgeAction = `"${protocols}/AcknowledgeLicense"`;

test.each([
  ['a license request', soap, acquireLicenseAction],
  ['an acknowledgement', acknowledgement, acknowledgeAction],
  ['an acknowledgement in UTF-16', marked(acknowledgement), acknowledgeAction],
  ['an acknowledgement in base64', Buffer.from(acknowledgement).toString('base64'), acknowledgeAction],
  [
    'an acknowledgement with other quotes',
    acknowledgement.replace(`"${protocols}"`, `'${protocols}'`),
    acknowledgeAction,
  ],
  [
    'an acknowledgement with prefixes',
    `<s:Envelope xmlns:s="urn:s" xmlns:d="${protocols}"><s:Body>\r\n<d:AcknowledgeLicense/></s:Body></s:Envelope>`,
    acknowledgeAction,
  ],
  [
    'an acknowledgement with its namespace on a line of its own',
    acknowledgement.replace(` xmlns="${protocols}"`, `\r\n\txmlns="${protocols}"`),
    acknowledgeAction,
  ],
  ['a key message without an action', playReadyKeyMessage(Buffer.from(acknowledgement), ''), acknowledgeAction],
  ['a key message with an action', playReadyKeyMessage(Buffer.from(acknowledgement)), acquireLicenseAction],
  ['SOAP of somebody else', soap.replace(protocols, 'http://other.example/protocols'), undefined],
  ['SOAP without a namespace', soap.replace(` xmlns="${protocols}"`, ''), undefined],
  ['SOAP with an empty body', '<Envelope><Body></Body></Envelope>', undefined],
  ['XML that is not SOAP', '<LicenseRequest/>', undefined],
])('the action of %s', (_name, body, action) => {
  expect(read(body).challengeHeaders).toEqual(action === undefined ? {} : { SOAPAction: action });
});

test.each(['base64', 'base64url'] as const)('SOAP in %s is decoded', (encoding) => {
  expect(read(acquireLicenseSoap.toString(encoding)).challenge).toEqual(acquireLicenseSoap);
});

test.each([
  ['text', 'hello', /not XML/],
  ['other text in base64', Buffer.from('hello world!').toString('base64'), /not XML/],
  ['JSON', '{"challenge":"AAAA"}', /not XML/],
  ['binary', Buffer.from([0x80, 0x81]), /not XML/],
  ['half a UTF-16 character', marked(playReadyKeyMessage()).subarray(0, -1), /truncated/],
  ['a truncated message', utf16(playReadyKeyMessage().slice(0, 200)), /truncated/],
  ['an unclosed tag', utf16('<PlayReadyKeyMessage'), /truncated/],
  ['an unclosed attribute', keyMessage('<a b="c>'), /truncated/],
  ['an unclosed comment', '<!-- hello', /truncated/],
  ['a truncated SOAP message', acquireLicenseSoap.subarray(0, -10), /truncated/],
  ['a web page', '<html></html>', /web page/],
  ['no challenge', keyMessage('<LicenseAcquisition/>'), /Challenge/],
  ['a secure stop', keyMessage('<SecureStop><Challenge>AAAA</Challenge></SecureStop>'), /LicenseAcquisition/],
  ['a challenge that is not base64', withChallenge('*AAAA'), /base64/],
  ['a challenge without content', withChallenge(''), /base64/],
  ['a challenge that is not XML', playReadyKeyMessage(Buffer.from('hello')), /not XML/],
  ['a challenge that is binary', playReadyKeyMessage(Buffer.from([0xff])), /not XML/],
  ['a truncated challenge', playReadyKeyMessage(acquireLicenseSoap.subarray(0, -10)), /truncated/],
  ['a document type', `<!DOCTYPE a [<!ENTITY b "c">]>${playReadyKeyMessage()}`, /document type/],
  ['SOAP with a document type', `<?xml version="1.0"?><!DOCTYPE a SYSTEM "file:///a">${soap}`, /document type/],
  ['an entity', playReadyKeyMessage(acquireLicenseSoap, '&b;'), /entity/],
  ['a bare ampersand', playReadyKeyMessage(acquireLicenseSoap, 'a&b'), /entity/],
  ['tags that do not match', keyMessage('<a><b></a></b>'), /do not match/],
  ['two roots', `${keyMessage('')}<b/>`, /not an XML document/],
  ['no element', '<!-- -->', /not XML/],
  ['deep nesting', keyMessage('<a>'.repeat(1000)), /too deep/],
])('%s is refused', async (_name, body, detail) => {
  const problem = await problemOf(() => read(body));
  expect([problem.code, problem.detail]).toEqual(['license_challenge_invalid', expect.stringMatching(detail)]);
});
