import { pack } from '../slots/message-pack';
import { makeTenant } from '../testing/published-tenant';
import type { SessionGrant } from './session-grant';
import { sessionTimes } from './session-times';
import { packTokenRecord, readTokenRecord } from './token-record';

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

test('a record is read as it was packed, without the data that is only for reports', () => {
  const record = packTokenRecord(times, grant, { ...details, reporting: { course: 'history' } });
  expect(readTokenRecord({ record })).toEqual({ ...times, grant, details: { ...details, reporting: null } });
});

test('a usual record has less than 180 characters', () => {
  expect(packTokenRecord(times, grant, details).length).toBeLessThan(180);
});

test('a token without a record, or with one of another version, has none to read', () => {
  expect(readTokenRecord({ record: null })).toBeNull();
  expect(readTokenRecord({ record: pack([2, 'another layout']).toString('base64url') })).toBeNull();
});
