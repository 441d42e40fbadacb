import { licenseEndsAt } from './license-end';

const startedAt = new Date('2026-03-01T12:00:00Z');
const expiresAt = new Date('2026-03-01T16:00:00Z');
const session = { startedAt, expiresAt };
const withHeartbeat = { hasHeartbeat: true, maximumSessionMilliseconds: 86_400_000 };
const without = { hasHeartbeat: false, maximumSessionMilliseconds: 86_400_000 };

test('without a heartbeat, a license ends with the session', () => {
  expect(licenseEndsAt(without, session, {})).toEqual(expiresAt);
});

test('with a heartbeat, a license ends with the maximum session', () => {
  expect(licenseEndsAt(withHeartbeat, session, {})).toEqual(new Date('2026-03-02T12:00:00Z'));
});

test('no license lasts beyond the availability window', () => {
  const availableUntil = '2026-03-01T13:00:00Z';
  expect(licenseEndsAt(without, session, { availableUntil })).toEqual(new Date(availableUntil));
  expect(licenseEndsAt(withHeartbeat, session, { availableUntil })).toEqual(new Date(availableUntil));
});

test('an availability window that ends after the session has no effect', () => {
  expect(licenseEndsAt(without, session, { availableUntil: '2030-01-01T00:00:00Z' })).toEqual(expiresAt);
});
