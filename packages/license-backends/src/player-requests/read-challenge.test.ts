import { problemOf } from '../backends/testing/refusal-cases';
import { challenges } from '../backends/testing/sample-messages';
import { answerTypeOf } from './answer-type';
import { readChallenge } from './read-challenge';

type System = Parameters<typeof readChallenge>[0]['drmSystem'];
const read = (drmSystem: System, body: Buffer | string, clearKey = false) =>
  readChallenge({ drmSystem, clearKey, body: Buffer.from(body) });

async function refusal(drmSystem: System, body: Buffer | string, clearKey = false): Promise<string> {
  const problem = await problemOf(() => read(drmSystem, body, clearKey));
  expect(problem.code).toBe('license_challenge_invalid');
  return problem.detail;
}

test.each(['widevine', 'playready', 'fairplay', 'wiseplay'] as const)('%s: raw challenges pass unchanged', (system) => {
  expect(read(system, challenges[system]).challenge).toEqual(challenges[system]);
});

test.each(['widevine', 'playready', 'fairplay', 'wiseplay'] as const)(
  '%s: an empty body is refused',
  async (system) => {
    expect(await refusal(system, '')).toMatch(/empty/);
  },
);

test('Widevine: a request for the service certificate passes', () => {
  expect(read('widevine', Buffer.from([0x08, 0x04])).challenge).toHaveLength(2);
});

test('Widevine: text is refused', async () => {
  expect(await refusal('widevine', challenges.widevine.toString('base64'))).toMatch(/text/);
});

test('WisePlay: JSON passes unchanged', () => {
  const body = Buffer.from('{"payload":"AAAA"}');
  expect(read('wiseplay', body)).toEqual({ challenge: body, challengeHeaders: {} });
});

test.each([
  ['truncated', Buffer.concat([challenges.widevine.subarray(0, 100)])],
  ['with unknown fields', Buffer.concat([challenges.widevine, Buffer.from([0xf8, 0x7f, 0x01])])],
  ['that is not a protocol buffer', Buffer.from([0x00, 0x01])],
])('Widevine: a binary message %s passes, because it contains neither its version nor its length', (_name, body) => {
  expect(read('widevine', body).challenge).toEqual(body);
});

test('ClearKey: accepts only its own JSON, for any DRM system', async () => {
  const body = Buffer.from('{"kids":["qqqqqqqqqqqqqqqqqqqqqg"],"type":"temporary"}');
  expect(read('playready', body, true)).toEqual({ challenge: body, challengeHeaders: {} });
  const padded = Buffer.from('{"kids":["qqqqqqqqqqqqqqqqqqqqqg==","AAAA"],"unknown":1}');
  expect(read('playready', padded, true).challenge).toEqual(padded);
  expect(await refusal('widevine', challenges.widevine, true)).toMatch(/ClearKey/);
  expect(await refusal('widevine', body.subarray(0, -1), true)).toMatch(/truncated/);
  expect(await refusal('widevine', '{"kids":["***"]}', true)).toMatch(/base64url/);
});

test.each([
  ['playready', '<'.repeat(65_536)],
  ['playready', `<a>${'&amp;'.repeat(13_000)}`],
  ['playready', `<a>${'<b/>'.repeat(16_000)}`],
  ['playready', Buffer.from(`<a ${' '.repeat(32_000)}`, 'utf16le')],
  ['playready', '<??>'.repeat(16_000)],
  ['playready', '<!---->'.repeat(9_000)],
  ['playready', `<PlayReadyKeyMessage>${'<'.repeat(65_000)}</PlayReadyKeyMessage>`],
  ['playready', `<PlayReadyKeyMessage>${'<a b="'.repeat(10_000)}</PlayReadyKeyMessage>`],
  ['fairplay', `spc=${'A'.repeat(65_532)}`],
  ['fairplay', '&spc'.repeat(16_000)],
  ['fairplay', 'spc%3D%25'.repeat(7_000)],
  ['fairplay', `--a\r\n${'\r\n\r\n\r\n--a'.repeat(6_000)}`],
  ['fairplay', `--a\r\n${'\r\n'.repeat(30_000)}`],
  ['fairplay', `{"spc":${'['.repeat(65_000)}`],
  ['widevine', Buffer.alloc(65_536, 0x08)],
] as const)('%s: a hostile body of 64 KiB is refused or accepted quickly', (system, body) => {
  const start = process.hrtime.bigint();
  try {
    read(system, body);
  } catch (error) {
    expect(error).toMatchObject({ code: 'license_challenge_invalid' });
  }
  expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(1000);
});

test.each(['1', '{}', '[]', '""'])('ClearKey: tens of thousands of key ids that are %s are rejected quickly', (kid) => {
  const body = Buffer.from(`{"kids":[${Array(Math.floor(65_000 / (kid.length + 1))).fill(kid)}]}`);
  // The fastest of several runs in CPU time, so that other load on the machine does not count.
  const milliseconds = [1, 2, 3, 4, 5].map(() => {
    const start = process.cpuUsage();
    expect(() => read('widevine', body, true)).toThrow(/ClearKey|base64url/);
    return process.cpuUsage(start).user / 1000;
  });
  expect(Math.min(...milliseconds)).toBeLessThan(15);
});

test('licenses have the media types that players expect', () => {
  const types = (['widevine', 'playready', 'fairplay', 'wiseplay'] as const).map((system) => answerTypeOf(system, {}));
  const binary = 'application/octet-stream';
  expect(types).toEqual([binary, 'text/xml; charset=utf-8', binary, binary]);
});
