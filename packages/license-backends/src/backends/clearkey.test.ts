import { answerTypeOf } from '../player-requests/answer-type';
import { clearKey } from './clearkey';
import type { ContentKey, LicenseCall } from './license-backend';
import { callOf, templatePolicy } from './testing/calls';
import { problemOf } from './testing/refusal-cases';

const backend = clearKey.create();
const keyOf = (digit: string, trackTypes: ContentKey['trackTypes'], key: Buffer | null): ContentKey => ({
  keyId: `${digit.repeat(8)}-${digit.repeat(4)}-${digit.repeat(4)}-${digit.repeat(4)}-${digit.repeat(12)}`,
  trackTypes,
  key,
});
const kid = (digit: string) => Buffer.alloc(16, Number.parseInt(digit.repeat(2), 16)).toString('base64url');
const keys = [
  keyOf('a', ['AUDIO', 'SD'], Buffer.alloc(16, 0xfb)),
  keyOf('b', ['HD'], Buffer.alloc(16, 2)),
  keyOf('c', ['HD'], null),
  keyOf('d', ['UHD2'], Buffer.alloc(16, 4)),
];

function callWith(request: unknown, changes: Partial<LicenseCall> = {}): LicenseCall {
  const challenge = Buffer.from(typeof request === 'string' ? request : JSON.stringify(request));
  return callOf('widevine', { keys, policy: templatePolicy('single-software', 'widevine'), challenge, ...changes });
}

test('returns requested keys that are allowed and stored, in the format of Clear Key', () => {
  const prepared = backend.prepare(callWith({ kids: ['a', 'c', 'd', 'e', 'a'].map(kid), type: 'temporary' }));
  expect('license' in prepared && JSON.parse(prepared.license.toString())).toEqual({
    keys: [{ kty: 'oct', k: '-_v7-_v7-_v7-_v7-_v7-w', kid: 'qqqqqqqqqqqqqqqqqqqqqg' }],
    type: 'temporary',
  });
  expect(answerTypeOf('widevine', backend)).toBe('application/json');
});

test('returns several keys, and accepts requests without a type', () => {
  const prepared = backend.prepare(callWith({ kids: ['b', 'a'].map(kid) }));
  expect('license' in prepared && JSON.parse(prepared.license.toString())).toMatchObject({
    keys: [{ kid: kid('a') }, { kid: kid('b') }],
    type: 'temporary',
  });
});

test.each([['c'], ['d'], ['e']])('refuses a request for only %s', async (digit) => {
  const problem = await problemOf(() => backend.prepare(callWith({ kids: [kid(digit)], type: 'temporary' })));
  expect(problem.code).toBe('license_challenge_invalid');
  expect(problem.detail).toBe(
    'None of the requested key ids belongs to the content, is allowed by the policy and has a stored key.',
  );
});

test.each(['', '{', '[]', '{}', { kids: [] }, { kids: 'a' }, { kids: ['short'], type: 'temporary' }])(
  '%j is not a Clear Key request',
  async (request) => {
    const problem = await problemOf(() => backend.prepare(callWith(request)));
    expect(problem.code).toBe('license_challenge_invalid');
  },
);

test('issues no persistent license, and none after the end of the session', async () => {
  const persistent = callWith({ kids: [kid('a')], type: 'persistent-license' });
  expect(await problemOf(() => backend.prepare(persistent))).toMatchObject({ code: 'license_challenge_invalid' });
  const late = callWith({ kids: [kid('a')] }, { licenseEndsAt: new Date('2026-03-01T12:00:01Z') });
  expect(await problemOf(() => backend.prepare(late))).toMatchObject({ code: 'session_expired' });
});
