import { pack } from '@multi-drm/slots';
import { makeTenant } from '../testing/published-tenant';
import { packGrant, readGrant, readGrantTimes, type SessionGrant } from './session-grant';
import { sessionTimes } from './session-times';

const times = sessionTimes(makeTenant({ heartbeatSeconds: 75 }).environment.settings);

const grant: SessionGrant = {
  contentId: 'lesson',
  contentType: 'vod',
  drmSystem: 'widevine',
  manifestTypes: ['dash'],
  template: 'hd',
  policy: {
    template: 'hd',
    maximumHeight: 1080,
    tracks: [
      { trackTypes: ['AUDIO', 'SD'], widevine: { securityLevel: 1, hdcp: 'none' } },
      { trackTypes: ['HD'], widevine: { securityLevel: 3, hdcp: '1.0' } },
    ],
    maximumConcurrentStreams: 3,
  },
  times,
};

const trackTypes: SessionGrant['policy']['tracks'][number]['trackTypes'] = ['SD'];

test.each<Partial<SessionGrant>>([
  {},
  { manifestTypes: null, template: null, policy: { ...grant.policy, template: null, maximumConcurrentStreams: null } },
  {
    policy: {
      ...grant.policy,
      licenseDurationSeconds: 60,
      playbackDurationSeconds: 30,
      availableFrom: '2026-01-01T00:00:00.000Z',
      availableUntil: '2026-02-01T00:00:00.000Z',
    },
  },
  {
    drmSystem: 'playready',
    policy: {
      ...grant.policy,
      tracks: [{ trackTypes, playready: { securityLevel: 3000, outputProtection: 'hdcp-type1' } }],
    },
  },
  { drmSystem: 'fairplay', policy: { ...grant.policy, tracks: [{ trackTypes, fairplay: { hdcp: 'type0' } }] } },
  {
    drmSystem: 'wiseplay',
    policy: { ...grant.policy, tracks: [{ trackTypes, wiseplay: { securityLevel: 2, outputControl: 1 } }] },
  },
])('a grant is read as it was packed: %j', (changes) => {
  const packed = { ...grant, ...changes };
  expect(readGrant(packGrant(packed), packed)).toEqual(packed);
});

test('a usual grant takes less than 66 bytes', () => {
  expect(packGrant(grant).length).toBeLessThan(66);
});

test('the times of a grant are read without its policy', () => {
  const packed = pack([[1, 2, 3, 4, true], 'not', 'read']);
  expect(readGrantTimes(packed)).toEqual({
    lifetimeMilliseconds: 1,
    tokenLifetimeMilliseconds: 2,
    maximumSessionMilliseconds: 3,
    renewalIntervalSeconds: 4,
    hasHeartbeat: true,
  });
  expect(() => readGrant(packed, grant)).toThrow();
});

test('times that are not complete are rejected', () => {
  expect(() => readGrantTimes(pack([[1, 2, 3, 4]]))).toThrow();
});
