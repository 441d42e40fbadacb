import { otherSettings } from '@multi-drm/policy/testing';
import { sessionTimes } from './session-times';

const settings = {
  defaultLicensePolicyTemplate: null,
  sessionLifetimeSeconds: 14_400,
  maximumConcurrentStreams: null,
  ...otherSettings,
};

test('without a heartbeat, a session lasts as long as configured and is renewed at half of that', () => {
  expect(sessionTimes(settings)).toEqual({
    lifetimeMilliseconds: 14_400_000,
    tokenLifetimeMilliseconds: 14_400_000,
    maximumSessionMilliseconds: 86_400_000,
    renewalIntervalSeconds: 7200,
    hasHeartbeat: false,
  });
});

test('with a heartbeat, a session lasts 2.5 heartbeats and is renewed at each; the token lifetime stays the same', () => {
  expect(sessionTimes({ ...settings, heartbeatSeconds: 20 })).toMatchObject({
    lifetimeMilliseconds: 50_000,
    tokenLifetimeMilliseconds: 14_400_000,
    renewalIntervalSeconds: 20,
    hasHeartbeat: true,
  });
});

test('a shorter token lifetime does not shorten the session, and renewals are due before the token expires', () => {
  expect(sessionTimes({ ...settings, licenseTokenLifetimeSeconds: 300 })).toMatchObject({
    lifetimeMilliseconds: 14_400_000,
    tokenLifetimeMilliseconds: 300_000,
    renewalIntervalSeconds: 150,
  });
});

test('the token lifetime is capped at the session lifetime', () => {
  expect(sessionTimes({ ...settings, licenseTokenLifetimeSeconds: 86_400 }).tokenLifetimeMilliseconds).toBe(14_400_000);
});

test('no session starts longer than the maximum', () => {
  expect(sessionTimes({ ...settings, maximumSessionSeconds: 3600 }).lifetimeMilliseconds).toBe(3_600_000);
});
