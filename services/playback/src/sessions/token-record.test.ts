import { makeTenant } from '../testing/published-tenant';
import type { SessionGrant } from './session-grant';
import { sessionTimes } from './session-times';
import { readTokenRecord, tokenRecordOf } from './token-record';

const grant: SessionGrant = {
  contentId: 'lesson-0042',
  contentType: 'vod',
  drmSystem: 'widevine',
  manifestTypes: null,
  template: 'single-software',
  policy: {
    template: 'single-software',
    maximumHeight: 1080,
    tracks: [{ trackTypes: ['AUDIO', 'SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
    maximumConcurrentStreams: 3,
  },
  times: sessionTimes(makeTenant().environment.settings),
};
const details = {
  contentId: 'lesson-0042',
  contentType: 'vod' as const,
  drmSystem: 'widevine' as const,
  applicationId: 'web',
  clientPlatform: null,
  attemptId: 'attempt-1',
};
const times = { startedAt: new Date('2026-03-01T12:00:00.123Z'), expiresAt: new Date('2026-03-01T16:00:00.456Z') };

const { contentId, drmSystem, policy } = grant;
const readBack = (record: readonly unknown[] | null) => readTokenRecord({ record, contentId, drmSystem, policy });

test('a record is read as it was listed, without the data that is only for reports', () => {
  const record = tokenRecordOf(times, grant, { ...details, reporting: { course: 'history' } }, policy);
  expect(readBack(record)).toEqual({ ...times, grant, details: { ...details, reporting: null } });
});

test('a record has the policy of the grant if the token has another one', () => {
  const own = { ...policy, maximumHeight: 480 };
  const record = tokenRecordOf(times, { ...grant, policy: own }, details, policy);
  expect(readBack(record)?.grant.policy).toEqual(own);
});

test('a usual record takes less than 180 characters of a token', () => {
  const record = tokenRecordOf(times, grant, details, policy);
  expect(Buffer.from(JSON.stringify(record)).toString('base64url').length).toBeLessThan(180);
});

test('a token without a record, or with one of another version, has none to read', () => {
  expect(readBack(null)).toBeNull();
  expect(readBack([1, 'another layout'])).toBeNull();
});

test('a record of this version that has another layout is an error', () => {
  expect(() => readBack([2, 'another layout'])).toThrow('expected array');
});
