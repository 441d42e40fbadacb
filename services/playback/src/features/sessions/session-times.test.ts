import { otherSettings } from '../../testing/published-tenant';
import { sessionTimes } from './session-times';

const settings = {
  defaultLicensePolicyTemplate: null,
  sessionLifetimeSeconds: 14_400,
  maximumConcurrentStreams: null,
  ...otherSettings,
};

test('without a heartbeat a session lives as long as the environment says, and is renewed at half of that', () => {
  expect(sessionTimes(settings)).toEqual({
    lifetimeMilliseconds: 14_400_000,
    tokenLifetimeMilliseconds: 14_400_000,
    maximumSessionMilliseconds: 86_400_000,
    renewalIntervalSeconds: 7200,
    hasHeartbeat: false,
  });
});

test('with a heartbeat a session lives for 2.5 of them and is renewed at each; the token lives as long as without', () => {
  expect(sessionTimes({ ...settings, heartbeatSeconds: 20 })).toMatchObject({
    lifetimeMilliseconds: 50_000,
    tokenLifetimeMilliseconds: 14_400_000,
    renewalIntervalSeconds: 20,
    hasHeartbeat: true,
  });
});

test('a shorter life of tokens shortens neither the session nor what a player may wait before it renews below it', () => {
  expect(sessionTimes({ ...settings, licenseTokenLifetimeSeconds: 300 })).toMatchObject({
    lifetimeMilliseconds: 14_400_000,
    tokenLifetimeMilliseconds: 300_000,
    renewalIntervalSeconds: 150,
  });
});

test('a longer life of tokens than that of sessions is cut to it', () => {
  expect(sessionTimes({ ...settings, licenseTokenLifetimeSeconds: 86_400 }).tokenLifetimeMilliseconds).toBe(14_400_000);
});

test('no session begins longer than the longest', () => {
  expect(sessionTimes({ ...settings, maximumSessionSeconds: 3600 }).lifetimeMilliseconds).toBe(3_600_000);
});
