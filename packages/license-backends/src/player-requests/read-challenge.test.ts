import {
  acquireLicenseAction,
  acquireLicenseSoap,
  challenges,
  playReadyKeyMessage,
  spc,
} from '../backends/testing/messages';
import { problemOf } from '../backends/testing/refusal-cases';
import { answerTypeOf } from './answer-type';
import { readChallenge } from './read-challenge';

type System = Parameters<typeof readChallenge>[0]['drmSystem'];
const read = (drmSystem: System, body: Buffer | string, clearKey = false) =>
  readChallenge({ drmSystem, clearKey, body: Buffer.from(body) });
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const marked = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(text)]);

async function refusal(drmSystem: System, body: Buffer | string, clearKey = false): Promise<string> {
  const problem = await problemOf(() => read(drmSystem, body, clearKey));
  expect(problem.code).toBe('license_challenge_invalid');
  return problem.detail;
}

test.each(['widevine', 'playready', 'fairplay', 'wiseplay'] as const)(
  '%s: raw challenges pass as they are',
  (system) => {
    expect(read(system, challenges[system])).toEqual({ challenge: challenges[system], challengeHeaders: {} });
  },
);

test.each(['widevine', 'playready', 'fairplay', 'wiseplay'] as const)(
  '%s: an empty body is refused',
  async (system) => {
    expect(await refusal(system, '')).toMatch(/empty/);
  },
);

test('Widevine: a request for the service certificate passes', () => {
  expect(read('widevine', Buffer.from([0x08, 0x04])).challenge).toHaveLength(2);
});

test('Widevine: text and what was cut off are refused', async () => {
  expect(await refusal('widevine', challenges.widevine.toString('base64'))).toMatch(/text/);
  for (let length = 3; length < challenges.widevine.length; length += 50) {
    expect(await refusal('widevine', challenges.widevine.subarray(0, length))).toMatch(/truncated/);
  }
  for (const body of [[0x08], [0x0b], [0x00, 0x01], [0x08, ...Array(11).fill(0xff)], [0x0d, 0x01]]) {
    expect(await refusal('widevine', Buffer.from(body))).toMatch(/no Widevine challenge/);
  }
});

test.each([
  ['in UTF-16 with a byte order mark', marked(playReadyKeyMessage())],
  ['in UTF-16 without one', utf16(playReadyKeyMessage())],
  ['in UTF-8', Buffer.from(playReadyKeyMessage())],
  ['with a declaration and a comment', utf16(`<?xml version="1.0"?>\r\n<!-- > -->${playReadyKeyMessage()}\n`)],
  ['with references', utf16(playReadyKeyMessage(acquireLicenseSoap, acquireLicenseAction.replaceAll('"', '&quot;')))],
  ['with an action without quotes', utf16(playReadyKeyMessage(acquireLicenseSoap, acquireLicenseAction.slice(1, -1)))],
])('PlayReady: the key message %s', (_name, body) => {
  expect(read('playready', body)).toEqual({
    challenge: acquireLicenseSoap,
    challengeHeaders: { SOAPAction: acquireLicenseAction },
  });
});

test('PlayReady: no other header is copied, and no action of another protocol', () => {
  const smuggled = playReadyKeyMessage().replace('<name>Content-Type</name>', '<name>x-dt-auth-token</name>');
  expect(read('playready', utf16(smuggled)).challengeHeaders).toEqual({ SOAPAction: acquireLicenseAction });
  for (const action of ['"http://other.example/AcquireLicense"', `${acquireLicenseAction}&#13;&#10;x: y`]) {
    expect(read('playready', utf16(playReadyKeyMessage(acquireLicenseSoap, action))).challengeHeaders).toEqual({});
  }
});

test.each([
  ['no XML', 'hello', /not XML/],
  ['binary', Buffer.from([0x80, 0x81]), /UTF-16/],
  ['half a character', marked(playReadyKeyMessage()).subarray(0, -1), /truncated/],
  ['half a message', utf16(playReadyKeyMessage().slice(0, 200)), /truncated/],
  ['an open tag', utf16('<PlayReadyKeyMessage'), /truncated/],
  ['half a SOAP message', acquireLicenseSoap.subarray(0, -10), /truncated/],
  ['another document', '<html></html>', /neither/],
  ['SOAP in UTF-16', utf16(acquireLicenseSoap.toString()), /neither/],
  ['no challenge', '<PlayReadyKeyMessage><LicenseAcquisition/></PlayReadyKeyMessage>', /Challenge/],
  [
    'a secure stop',
    '<PlayReadyKeyMessage><SecureStop><Challenge>AAAA</Challenge></SecureStop></PlayReadyKeyMessage>',
    /Lic/,
  ],
  ['a challenge that is not base64', playReadyKeyMessage().replace('base64encoded">', 'base64encoded">*'), /base64/],
  ['a challenge that is no SOAP', playReadyKeyMessage(Buffer.from('hello')), /not XML/],
  ['a challenge that is binary', playReadyKeyMessage(Buffer.from([0xff])), /SOAP/],
  ['a document type', `<!DOCTYPE a [<!ENTITY b "c">]>${playReadyKeyMessage()}`, /document type/],
  ['an entity', playReadyKeyMessage(acquireLicenseSoap, '&b;'), /entity/],
  ['a bare ampersand', playReadyKeyMessage(acquireLicenseSoap, 'a&b'), /entity/],
  ['tags that do not match', '<a><b></a></b>', /do not match/],
  ['two roots', '<a/><b/>', /not an XML document/],
  ['no element', '<!-- -->', /not an XML document/],
  ['deep nesting', '<a>'.repeat(1000), /too deep/],
])('PlayReady: %s is refused', async (_name, body, detail) => {
  expect(await refusal('playready', body)).toMatch(detail);
});

const encoded = spc.toString('base64');

test.each([
  ['a form', `spc=${encodeURIComponent(encoded)}`],
  ['a form with other fields', `assetId=a%20b&spc=${encodeURIComponent(encoded)}`],
  ['a form without encoding', `spc=${encoded}`],
  ['JSON', JSON.stringify({ spc: encoded })],
])('FairPlay: the SPC in %s', (_name, body) => {
  expect(read('fairplay', body)).toEqual({ challenge: spc, challengeHeaders: {} });
});

test('FairPlay: an SPC of a later version is not looked into', () => {
  const later = Buffer.concat([Buffer.from([0, 0, 0, 3]), spc.subarray(4, 190)]);
  expect(read('fairplay', later).challenge).toEqual(later);
});

test.each([
  ['base64 alone', encoded, /other text/],
  ['a form without spc', 'other=1', /other text/],
  ['an empty spc', 'spc=', /base64/],
  ['spc that is not base64', 'spc=%2A%2A%2A%2A', /base64/],
  ['half an spc', `spc=${encoded.slice(0, 101)}`, /base64/],
  ['an spc that is cut off', `spc=${encodeURIComponent(encoded.slice(0, 400))}`, /truncated/],
  ['a raw SPC that is cut off', spc.subarray(0, -1), /truncated/],
  ['a raw SPC without payload', spc.subarray(0, 176), /truncated/],
  ['text in base64', `spc=${encodeURIComponent(Buffer.from('hello'.repeat(50)).toString('base64'))}`, /text/],
  ['half JSON', '{"spc":"AAAA', /truncated/],
  ['JSON without spc', '{"other":1}', /other text/],
  ['JSON with another spc', '{"spc":7}', /other text/],
])('FairPlay: %s is refused', async (_name, body, detail) => {
  expect(await refusal('fairplay', body)).toMatch(detail);
});

test('WisePlay: JSON passes as it is', () => {
  const body = Buffer.from('{"payload":"AAAA"}');
  expect(read('wiseplay', body)).toEqual({ challenge: body, challengeHeaders: {} });
});

test('ClearKey: takes its JSON whatever the DRM system is, and nothing else', async () => {
  const body = Buffer.from('{"kids":["qqqqqqqqqqqqqqqqqqqqqg"],"type":"temporary"}');
  expect(read('playready', body, true)).toEqual({ challenge: body, challengeHeaders: {} });
  expect(await refusal('widevine', challenges.widevine, true)).toMatch(/ClearKey/);
  expect(await refusal('widevine', body.subarray(0, -1), true)).toMatch(/truncated/);
  expect(await refusal('widevine', '{"kids":["qqqqqqqqqqqqqqqqqqqqqg=="]}', true)).toMatch(/16 bytes/);
});

test.each([
  ['playready', '<'.repeat(65_536)],
  ['playready', `<a>${'&amp;'.repeat(13_000)}`],
  ['playready', `<a>${'<b/>'.repeat(16_000)}`],
  ['playready', utf16(`<a ${' '.repeat(32_000)}`)],
  ['fairplay', `spc=${'A'.repeat(65_532)}`],
  ['fairplay', '&spc'.repeat(16_000)],
  ['fairplay', `{"spc":${'['.repeat(65_000)}`],
  ['widevine', Buffer.alloc(65_536, 0x08)],
] as const)('%s: a hostile body of 64 KiB is refused or passed in time', (system, body) => {
  const start = process.hrtime.bigint();
  try {
    read(system, body);
  } catch (error) {
    expect(error).toMatchObject({ code: 'license_challenge_invalid' });
  }
  expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(1000);
});

test('licenses go out in the media types that players know', () => {
  const types = (['widevine', 'playready', 'fairplay', 'wiseplay'] as const).map((system) => answerTypeOf(system, {}));
  const binary = 'application/octet-stream';
  expect(types).toEqual([binary, 'text/xml; charset=utf-8', binary, binary]);
});
