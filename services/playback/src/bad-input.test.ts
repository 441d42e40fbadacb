import { type Playback, sessionRequest, startPlayback } from './testing/playback';
import { makeContent, makeTenant } from './testing/published-tenant';

let playback: Playback;
const tenant = makeTenant({ maximumConcurrentStreams: 1_000 });
/** 200 bytes of UTF-8 in 100 characters. */
const longestContentId = 'é'.repeat(100);

beforeAll(async () => {
  playback = await startPlayback();
  await playback.publish(tenant);
  const content = makeContent(tenant.environment.environmentId, longestContentId);
  await playback.publish({ ...tenant, content });
});

/** Sends a create with this body. */
function send(body: string | Buffer) {
  const request = playback.asClient(tenant, 'post', '/sessions').set('Content-Type', 'application/json');
  request.write(body);
  return request;
}

/** The JSON text of a valid request with extra members in front. */
const textWith = (members: string, overrides: object = {}) =>
  `{${members},${JSON.stringify(sessionRequest(overrides)).slice(1)}`;

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const tooMuch = 'contains more than 2000 values, or nests more than 32 levels deep';

test.each([
  ['a truncated UTF-8 sequence', Buffer.from([...Buffer.from('{"subject":"'), 0xc3, ...Buffer.from('"}')])],
  ['an encoded surrogate', Buffer.from('7b227375626a656374223a22eda080227d', 'hex')],
  ['an overlong encoding', Buffer.from('7b227375626a656374223a22c0af227d', 'hex')],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
])('a body with %s is rejected as invalid UTF-8', async (_what, body) => {
  const { body: problem } = await send(body).expect(400);
  expect(problem).toMatchObject({ code: 'invalid_request', errors: { body: ['is not valid UTF-8'] } });
});

test.each([
  ['subject', '"subject":"someone-else"', {}],
  ['contentId', '"contentId":"lesson-0042"', {}], // even with the same value
  ['licensePolicy.maximumHeight', '"licensePolicy":{"maximumHeight":4320,"maximumHeight":480}', {}],
  ['reporting.campaign', '"reporting":{"campaign":1,"campaign":2}', {}],
  ['platformCapabilities.later', '"platformCapabilities":{"later":1,"l\\u0061ter":2}', {}],
])('a duplicate %s is rejected and named by its path', async (field, members, overrides) => {
  const { body } = await send(textWith(members, overrides)).expect(400);
  expect(body).toMatchObject({ code: 'invalid_request', errors: { [field]: [expect.any(String)] } });
});

test.each([
  ['__proto__', '"__proto__":{"useEnvironmentDefaults":true}'],
  ['__proto__', '"\\u005f_proto__":null'],
  ['licensePolicy.__proto__', '"licensePolicy":{"__proto__":{"maximumHeight":4320}}'],
  ['reporting.__proto__', '"reporting":{"__proto__":{"polluted":true}}'],
  ['reporting.constructor.prototype', '"reporting":{"constructor":{"prototype":{"polluted":true}}}'],
])('a member %s is rejected and named by its path', async (field, members) => {
  const { body } = await send(textWith(members)).expect(400);
  expect(body.code).toBe('invalid_request');
  expect(Object.keys(body.errors)).toEqual([field]);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test.each([
  ['an open object', `"reporting":${nested(32)}`],
  ['thousands of objects', `"reporting":${nested(8_000)}`],
  ['thousands of unclosed lists', `"reporting":${'['.repeat(30_000)}`],
])('deep nesting in %s is rejected', async (_what, members) => {
  const { body } = await send(textWith(members)).expect(400);
  expect(body.code).toBe('invalid_request');
  expect([[tooMuch], ['is not valid JSON']]).toContainEqual(body.errors.body);
});

test('an open object may nest to the depth limit of the body', async () => {
  await send(textWith(`"reporting":${nested(31)}`)).expect(200);
});

test.each([
  ['subject', { subject: 'a\u0000b' }],
  ['subject', { subject: 'a\ud800' }],
  ['subject', { subject: '\udc00\ud800' }],
  ['contentId', { contentId: 'a\u0000b' }],
  ['contentId', { contentId: '\ud800' }],
  ['applicationId', { applicationId: '\u0000' }],
  ['attemptId', { attemptId: '\udfff' }],
  ['licensePolicyTemplate', { licensePolicyTemplate: 'single-hdcp\u0000' }],
  ['platformCapabilities.clientPlatform', { platformCapabilities: { clientPlatform: 'web\u0000' } }],
  ['reporting.note', { reporting: { campaign: 'spring', note: 'a\u0000b' } }],
  ['reporting.notes[1].text', { reporting: { notes: ['a', { text: '\ud800' }] } }],
  ['reporting.notes', { reporting: { notes: { 'a\u0000': 1 } } }],
  ['reporting', { reporting: { '\udc00': null } }],
])('a NUL or lone surrogate in %s is rejected and named by its path', async (field, overrides) => {
  const { body } = await playback.create(tenant, sessionRequest(overrides)).expect(400);
  expect(body.code).toBe('invalid_request');
  expect(Object.keys(body.errors)).toEqual([field]);
});

test.each([
  ['contentId', 'of 200 bytes in 100 characters', longestContentId],
  ['sessionId', 'of 16 characters', `${Date.now()}abc`],
  ['sessionId', 'of 128 characters', `${Date.now()}`.padEnd(128, '~')],
  ['subject', 'of 1 character', 'v'],
  ['subject', 'of 1 character beyond the basic plane', '\u{1f600}'],
  ['subject', 'of 256 characters', 'v'.repeat(256)],
  ['subject', 'of 256 characters in 1024 bytes', '\u{1f600}'.repeat(256)],
])('a %s %s is accepted', async (field, _length, value) => {
  const { body } = await playback.create(tenant, sessionRequest({ [field]: value })).expect(200);
  if (field !== 'subject') expect(body[field]).toBe(value);
});

test.each([
  ['contentId', 'of 202 bytes in 101 characters', 'é'.repeat(101)],
  ['contentId', 'of no characters', ''],
  ['sessionId', 'of 15 characters', 'x'.repeat(15)],
  ['sessionId', 'of 129 characters', 'x'.repeat(129)],
  ['sessionId', 'of 16 characters and a line feed', `${'x'.repeat(16)}\n`],
  ['subject', 'of no characters', ''],
  ['subject', 'of 257 characters', 'v'.repeat(257)],
  ['subject', 'of 257 characters beyond the basic plane', '\u{1f600}'.repeat(257)],
])('a %s %s is rejected by name', async (field, _length, value) => {
  const { body } = await playback.create(tenant, sessionRequest({ [field]: value })).expect(400);
  expect(body.code).toBe('invalid_request');
  expect(Object.keys(body.errors)).toEqual([field]);
});

test('no bad input causes an internal error, and the service still answers a valid request afterwards', async () => {
  await playback.create(tenant, sessionRequest()).expect(200);
  expect(playback.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
