import { base64License, ckcElement, isText, jsonObjectOf, requireLicense, requireSuccess } from './answers';
import { answerOf } from './testing/exchange';
import { licenses, soapFault } from './testing/messages';
import { problemOf } from './testing/refusal-cases';

test('PlayReady: a SOAP fault is a refusal, whatever the status; a failure without one is none', async () => {
  for (const status of [200, 500]) {
    const problem = await problemOf(() => requireSuccess(answerOf(status, soapFault), 'playready'));
    expect(problem.code).toBe('license_backend_refused');
  }
  const failed = await problemOf(() => requireSuccess(answerOf(500, '<html>'), 'playready'));
  expect(failed.code).toBe('license_backend_unavailable');
  const other = await problemOf(() => requireSuccess(answerOf(500, soapFault), 'widevine'));
  expect(other.code).toBe('license_backend_unavailable');
});

test.each(['widevine', 'playready', 'fairplay', 'wiseplay'] as const)(
  '%s: passes a license on as it is',
  (drmSystem) => {
    expect(requireLicense(licenses[drmSystem], drmSystem)).toBe(licenses[drmSystem]);
  },
);

test('passes on a PlayReady answer with a byte order mark, and a receipt', () => {
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), licenses.playready]);
  expect(requireLicense(marked, 'playready')).toBe(marked);
  const receipt = Buffer.from('<Envelope><AcknowledgeLicenseResponse/></Envelope>');
  expect(requireLicense(receipt, 'playready')).toBe(receipt);
});

test.each([
  ['widevine', '\n <HTML lang="en">'],
  ['playready', '<?xml version="1.0"?><html xmlns="x">'],
  ['playready', '<Envelope/>'],
  ['playready', 'AcquireLicenseResponse'],
  ['fairplay', 'error'],
  ['wiseplay', '<!DOCTYPE html>'],
  ['wiseplay', ''],
  ['wiseplay', '{"errorCode":"7002","message":"no"}'],
  ['wiseplay', '{"error":"bad token"}'],
] as const)('%s: %j is no license', async (drmSystem, body) => {
  const problem = await problemOf(() => requireLicense(Buffer.from(body), drmSystem));
  expect(problem.code).toBe('license_backend_unavailable');
});

test.each(['Unauthorized', 'just some text', 'BadCredentialsForThisSiteId='])(
  'words that are base64 by chance are no license: %s',
  async (words) => {
    for (const drmSystem of ['widevine', 'fairplay'] as const) {
      const problem = await problemOf(() => requireLicense(base64License(words), drmSystem));
      expect(problem.code).toBe('license_backend_unavailable');
    }
  },
);

test('WisePlay licenses may be text', () => {
  const license = Buffer.from('{"payload":"AAAA"}');
  expect(requireLicense(license, 'wiseplay')).toBe(license);
});

test('tells text from bytes', () => {
  expect([Buffer.from('tab\tü\r\n'), Buffer.alloc(0)].map(isText)).toEqual([true, true]);
  expect([Buffer.from([0]), Buffer.from([0xff, 0x41]), Buffer.from([0x1b])].map(isText)).toEqual([false, false, false]);
});

test('reads JSON objects and <ckc> alone', () => {
  expect(['{"a":1}', '[1]', '"a"', '{', 'null'].map((text) => jsonObjectOf(Buffer.from(text)))).toEqual([
    { a: 1 },
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(jsonObjectOf(Buffer.from([0x7b, 0xff, 0x7d]))).toBeUndefined();
  const texts = [' <ckc>AAEC</ckc>\n', '<ckc>AAEC', '<ckc>***</ckc>'];
  expect(texts.map((text) => ckcElement(Buffer.from(text))?.toString('hex'))).toEqual(['000102', undefined, undefined]);
});
