import { makeTenant } from '../testing/published-tenant';
import { parseGrant, parseGrantTimes } from './session-grant';
import { sessionTimes } from './session-times';

const times = sessionTimes(makeTenant({ heartbeatSeconds: 60 }).environment.settings);

test('the times of a grant are read without its policy', () => {
  const json = JSON.stringify({ policy: 'not parsed', times });
  expect(parseGrantTimes(json)).toEqual(times);
  expect(() => parseGrant(json)).toThrow();
});

test('times that are not complete are rejected', () => {
  const { hasHeartbeat: _notKept, ...incomplete } = times;
  expect(() => parseGrantTimes(JSON.stringify({ times: incomplete }))).toThrow();
});
