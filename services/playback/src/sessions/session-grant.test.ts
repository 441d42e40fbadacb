import { makeTenant } from '../testing/published-tenant';
import { parseGrant } from './session-grant';
import { sessionTimes } from './session-times';

test('a grant stored before it recorded the heartbeat is read as one without a heartbeat', () => {
  const { hasHeartbeat: _notKept, ...times } = sessionTimes(makeTenant({ heartbeatSeconds: 60 }).environment.settings);
  const kept = {
    contentId: 'lesson-0042',
    contentType: 'vod',
    drmSystem: 'widevine',
    manifestTypes: null,
    policy: { template: null, maximumHeight: 1080, tracks: [{ trackTypes: ['SD'] }], maximumConcurrentStreams: null },
    times,
  };
  expect(parseGrant(JSON.stringify(kept)).times).toEqual({ ...times, hasHeartbeat: false });
});
