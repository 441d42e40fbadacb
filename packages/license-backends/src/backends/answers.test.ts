import {
  base64License,
  ckcElement,
  isUtf8Text,
  jsonObjectOf,
  requireLicense,
  requireSuccess,
  widevineJsonLicense,
} from './answers';
import { answerOf } from './testing/exchange';
import { problemOf } from './testing/refusal-cases';
import { licenses, soapFault } from './testing/sample-messages';

test('every 2xx status except 204 may come with a license', async () => {
  for (const status of [200, 201, 202, 203, 299]) {
    expect(() => requireSuccess(answerOf(status, licenses.widevine), 'widevine')).not.toThrow();
  }
  const empty = await problemOf(() => requireSuccess(answerOf(204, ''), 'widevine'));
  expect(empty.code).toBe('license_backend_unavailable');
});

test.each([
  ['<Body '.repeat(170_000)],
  ['<Body>'.repeat(170_000)],
  [`<Body ${' '.repeat(1_000_000)}`],
  [`<a:Body>${' '.repeat(1_000_000)}`],
  ['<??>'.repeat(260_000)],
  ['<!---->'.repeat(150_000)],
  ['<ckc '.repeat(200_000)],
])('PlayReady: a hostile response of 1 MiB is checked quickly', (text) => {
  const start = process.hrtime.bigint();
  const answer = answerOf(200, text);
  requireSuccess(answer, 'playready');
  ckcElement(answer.body);
  try {
    requireLicense(answer.body, 'playready');
  } catch (error) {
    expect(error).toMatchObject({ code: 'license_backend_unavailable' });
  }
  expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(1000);
});

test.each([
  ['nested deep', `{"error":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ['an object that cannot be converted to a string', '{"error":{"toString":1,"valueOf":1}}'],
  ['a non-empty list', '{"errors":[0]}'],
])('an error member that is %s is an error', async (_case, text) => {
  const problem = await problemOf(() => requireLicense(Buffer.from(text), 'wiseplay'));
  expect(problem.code).toBe('license_backend_unavailable');
});

test.each(['null', 'false', '""', '"0000"', '0', '[]'])('an error member that is %s is not an error', (value) => {
  const license = Buffer.from(`{"errorCode":${value},"license":"AAEC"}`);
  expect(requireLicense(license, 'wiseplay')).toEqual(license);
});

test.each([
  ['90,000 members', `{${Array.from({ length: 90_000 }, (_, index) => `"error${index}":0`)}}`],
  ['half a million nested lists', `{"error":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
])('JSON of 1 MiB with %s is not parsed, and delays no other request', async (_case, text) => {
  const answer = Buffer.from(text);
  // The fastest of several runs in CPU time, so that other load on the machine does not count.
  const milliseconds: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const start = process.cpuUsage();
    expect(requireLicense(answer, 'wiseplay')).toBe(answer);
    expect((await problemOf(() => widevineJsonLicense(answer))).code).toBe('license_backend_unavailable');
    milliseconds.push(process.cpuUsage(start).user / 1000);
  }
  expect(Math.min(...milliseconds)).toBeLessThan(50);
});

test('PlayReady: a SOAP fault is a refusal with any status; a failure without one is not', async () => {
  for (const status of [200, 500]) {
    const problem = await problemOf(() => requireSuccess(answerOf(status, soapFault), 'playready'));
    expect(problem.code).toBe('license_backend_refused');
  }
  const license = answerOf(
    200,
    '<Envelope><Body><AcquireLicenseResponse><Fault>1</Fault></AcquireLicenseResponse></Body></Envelope>',
  );
  expect(() => requireSuccess(license, 'playready')).not.toThrow();
  const failed = await problemOf(() => requireSuccess(answerOf(500, '<html>'), 'playready'));
  expect(failed.code).toBe('license_backend_unavailable');
  const other = await problemOf(() => requireSuccess(answerOf(500, soapFault), 'widevine'));
  expect(other.code).toBe('license_backend_unavailable');
});

test.each(['widevine', 'playready', 'fairplay', 'wiseplay'] as const)(
  '%s: returns a license unchanged',
  (drmSystem) => {
    expect(requireLicense(licenses[drmSystem], drmSystem)).toBe(licenses[drmSystem]);
  },
);

const ckcOf = (version: number) => {
  const ckc = Buffer.from(licenses.fairplay);
  ckc.writeUInt32BE(version);
  return ckc;
};
const body = (content: string) => `<s:Envelope xmlns:s="urn:a"><s:Body>${content}</s:Body></s:Envelope>`;

test.each([
  ['widevine', 'with trailing bytes', Buffer.concat([licenses.widevine, Buffer.from([0])])],
  ['widevine', 'that is shorter than declared', licenses.widevine.subarray(0, 100)],
  ['widevine', 'with an unknown field', Buffer.concat([licenses.widevine, Buffer.from([0xf8, 0x7f, 1])])],
  ['fairplay', 'of version 2', ckcOf(2)],
  ['fairplay', 'of a version above 255', ckcOf(256)],
  ['fairplay', 'of a version above 65,535', ckcOf(0x01020304)],
  ['fairplay', 'of a few bytes', Buffer.from([0, 0, 0, 3, 1])],
  ['playready', 'with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), licenses.playready])],
  ['playready', 'that is a receipt', body('<AcknowledgeLicenseResponse/>')],
  ['playready', 'with an unknown element', body('<p:AcquireLicenseV9Response xmlns:p="urn:b"/>')],
  ['playready', 'that is not SOAP', '<?xml version="1.0"?><!-- a --><LicenseResponse/>'],
  ['playready', 'in UTF-16', Buffer.from(body('<AcquireLicenseResponse/>'), 'utf16le')],
  ['playready', 'that is binary', Buffer.from([0x58, 0x4d, 0x52, 0, 0, 0, 0, 3])],
  ['wiseplay', 'in JSON', '{"payload":"AAAA"}'],
  ['wiseplay', 'in JSON that reports no error', '{"errorCode":"0000","error":null,"payload":"AAAA"}'],
] as const)('%s: a license %s passes unchanged', (drmSystem, _name, license) => {
  expect(requireLicense(Buffer.from(license), drmSystem)).toEqual(Buffer.from(license));
});

test.each([
  ['widevine', '\n <HTML lang="en">'],
  ['widevine', '{"error":"no"}'],
  ['playready', '<?xml version="1.0"?><html xmlns="x">'],
  ['playready', '\ufeff<!DOCTYPE html>'],
  ['playready', '<?xml version="1.0"?><!DOCTYPE a><a/>'],
  ['playready', '<Error><Code>AccessDenied</Code></Error>'],
  ['playready', '<a:ServiceException/>'],
  ['playready', 'AcquireLicenseResponse'],
  ['playready', '{"error":"no"}'],
  ['fairplay', 'error'],
  ['fairplay', licenses.fairplay.toString('base64')],
  ['wiseplay', '<!DOCTYPE html>'],
  ['wiseplay', ''],
  ['wiseplay', '{"errorCode":"7002","message":"no"}'],
  ['wiseplay', '\ufeff{"error":{"code":1}}'],
  ['wiseplay', '{"error":"bad token"}'],
] as const)('%s: %j is not a license', async (drmSystem, text) => {
  const problem = await problemOf(() => requireLicense(Buffer.from(text), drmSystem));
  expect(problem.code).toBe('license_backend_unavailable');
});

test('decodes base64 and base64url, with and without padding, but not words', async () => {
  const { fairplay } = licenses;
  const encoded = fairplay.toString('base64');
  const url = encoded.replaceAll('+', '-').replaceAll('/', '_');
  for (const text of [encoded, encoded.replaceAll('=', ''), url, url.replaceAll('=', ''), `${encoded}\r\n`]) {
    expect(base64License(text)).toEqual(fairplay);
    expect(ckcElement(Buffer.from(`<ckc>${text}</ckc>`))).toEqual(fairplay);
    expect(widevineJsonLicense(Buffer.from(JSON.stringify({ status: 'OK', license: text })))).toEqual(fairplay);
  }
  for (const text of ['just some text', 'Unauthorized!', 'AAAAA', 'AAA==', '', undefined]) {
    const problem = await problemOf(() => base64License(text));
    expect(problem.code).toBe('license_backend_unavailable');
  }
});

test('distinguishes text from binary data', () => {
  expect([Buffer.from('tab\tü\r\n'), Buffer.alloc(0)].map(isUtf8Text)).toEqual([true, true]);
  expect([Buffer.from([0]), Buffer.from([0xff, 0x41]), Buffer.from([0x1b])].map(isUtf8Text)).toEqual([
    false,
    false,
    false,
  ]);
});

test('parses only JSON objects and <ckc>', () => {
  expect(['{"a":1}', '[1]', '"a"', '{', 'null'].map((text) => jsonObjectOf(Buffer.from(text)))).toEqual([
    { a: 1 },
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(jsonObjectOf(Buffer.from([0x7b, 0xff, 0x7d]))).toBeUndefined();
  const texts = [
    ' <ckc>AAEC</ckc>\n',
    '<?xml version="1.0"?>\n<ckc xmlns="a">\nAAEC\n</ckc>',
    '<ckc>AAEC',
    '<ckc>***</ckc>',
  ];
  expect(texts.map((text) => ckcElement(Buffer.from(text))?.toString('hex'))).toEqual([
    '000102',
    '000102',
    undefined,
    undefined,
  ]);
});
