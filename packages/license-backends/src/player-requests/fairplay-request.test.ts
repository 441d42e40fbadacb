import { problemOf } from '../backends/testing/refusal-cases';
import { spc, spcs } from '../backends/testing/sample-messages';
import { multipart, spcRequests } from '../backends/testing/spc-requests';
import { readSpc } from './fairplay-request';

const cases = Object.entries(spcs).flatMap(([version, sent]) =>
  Object.entries(spcRequests(sent)).map(([way, { body }]) => ({ version, sent, way, body })),
);

test.each(cases)('an SPC of $version as $way is returned byte for byte', ({ sent, body }) => {
  expect(readSpc(body)).toEqual(sent);
});

test.each([0, 3, 4, 255, 256, 0xffffffff])('an SPC of version %s passes at any length', (version) => {
  for (const length of [4, 100, 176, 304, 1000]) {
    const unknown = Buffer.alloc(length, 0xff);
    unknown.writeUInt32BE(version);
    expect(readSpc(unknown)).toBe(unknown);
  }
});

test.each([
  ['version 1', 176],
  ['version 2', 304],
] as const)('an SPC of %s passes without a payload, and with trailing bytes', (version, headerBytes) => {
  const empty = Buffer.from(spcs[version].subarray(0, headerBytes));
  empty.writeUInt32BE(0, headerBytes - 4);
  expect(readSpc(empty)).toBe(empty);
  const longer = Buffer.concat([spcs[version], Buffer.alloc(20)]);
  expect(readSpc(longer)).toBe(longer);
});

test.each(['version 1', 'version 2'] as const)('a truncated SPC of %s is refused', async (version) => {
  const whole = spcs[version];
  for (const length of [4, 24, 171, 175, 176, 299, 303, 304, whole.length - 1].filter((end) => end < whole.length)) {
    const problem = await problemOf(() => readSpc(whole.subarray(0, length)));
    expect([problem.code, problem.detail]).toEqual(['license_challenge_invalid', 'The SPC is truncated.']);
  }
});

const encoded = spc.toString('base64');
const part = (disposition: string) => `--a\r\n${disposition}\r\n\r\n${encoded}\r\n--a--\r\n`;

test.each([
  ['without quotes', part('Content-Disposition: form-data; name=spc')],
  [
    'in lower case, with a transfer encoding',
    part('content-transfer-encoding: base64\r\ncontent-disposition:form-data;name="spc"'),
  ],
  ['without an end', part('Content-Disposition: form-data; name="spc"').slice(0, -4)],
])('a multipart form %s is parsed', (_name, body) => {
  expect(readSpc(Buffer.from(body))).toEqual(spc);
});

test.each([
  ['base64 alone', encoded, /other text/],
  ['a form without spc', 'other=1', /other text/],
  ['an empty spc', 'spc=', /base64/],
  ['spc that is not base64', 'spc=%2A%2A%2A%2A', /base64/],
  ['spc with a broken percent sign', 'spc=AAAA%25zz', /base64/],
  ['a truncated base64 value', `spc=${encoded.slice(0, 101)}`, /base64/],
  ['a truncated spc', `spc=${encodeURIComponent(encoded.slice(0, 400))}`, /truncated/],
  ['an spc of three bytes', 'spc=AAAA', /truncated/],
  ['text in base64', `spc=${encodeURIComponent(Buffer.from('hello'.repeat(50)).toString('base64'))}`, /text/],
  ['truncated JSON', '{"spc":"AAAA', /truncated/],
  ['JSON without spc', '{"other":1}', /other text/],
  ['JSON with another spc', '{"spc":7}', /other text/],
  ['a truncated multipart form', multipart(spcs['version 3']).subarray(0, 400), /multipart form is truncated/],
  ['a multipart form truncated in its headers', multipart(spc).subarray(0, 60), /truncated/],
  ['a multipart form without spc', part('Content-Disposition: form-data; name="other"'), /no field/],
  ['a multipart form of another kind', part('Content-Disposition: attachment; name="spc"'), /no field/],
  ['a multipart form with an empty spc', multipart(''), /base64/],
  ['a multipart form with text', multipart('hello, world'), /base64/],
])('%s is refused', async (_name, body, detail) => {
  const problem = await problemOf(() => readSpc(Buffer.from(body)));
  expect([problem.code, problem.detail]).toEqual(['license_challenge_invalid', expect.stringMatching(detail)]);
});
