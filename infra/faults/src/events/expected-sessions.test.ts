import { compareSessions, type ExpectedSession } from './expected-sessions';
import type { StoredFact, StoredSession } from './stored-sessions';

const expected: ExpectedSession = {
  name: 'session-1',
  start: { from: 1_000, to: 1_010 },
  isStarted: true,
  ends: [{ reason: 'released', from: 2_000, to: 2_010 }],
  licenseRequests: 1,
};

const start: StoredFact = { at: 1_005.25, storedAt: 1_200, reason: '', licenseRequests: null };
const end: StoredFact = { at: 2_010.75, storedAt: 2_200, reason: 'released', licenseRequests: 1 };
const stored: StoredSession = {
  sessionId: 'session-1',
  subject: 'viewer-1',
  reservationId: 'reservation-1',
  starts: [start],
  ends: [end],
  isEnded: true,
};

const findingsOf = (sessions: StoredSession[], known = expected) =>
  compareSessions(new Map([[known.name, known]]), sessions).map((sentence) => sentence.replace(/, such as.*/, ''));

test('one start and one end within their calls are as expected', () => {
  expect(findingsOf([stored])).toEqual([]);
});

test.each<[string, StoredSession[]]>([
  ['1 × a session that is not stored', []],
  ['1 × two sessions of one create', [stored, { ...stored, reservationId: 'reservation-2' }]],
  ['1 × a session with 2 starts', [{ ...stored, starts: [start, start] }]],
  ['1 × a session with 2 ends', [{ ...stored, ends: [end, end] }]],
  ['1 × a session with 0 ends', [{ ...stored, ends: [] }]],
  ['1 × a session whose row is not ended', [{ ...stored, isEnded: false }]],
  ['1 × a start outside of its call', [{ ...stored, starts: [{ ...start, at: 999.9 }] }]],
  ['1 × an end as released at another time', [{ ...stored, ends: [{ ...end, at: 2_012 }] }]],
  ['1 × an end as evicted that nobody caused', [{ ...stored, ends: [{ ...end, reason: 'evicted' }] }]],
  ['1 × an end with another number of license requests', [{ ...stored, ends: [{ ...end, licenseRequests: 2 }] }]],
  ['1 × a session that nobody started', [stored, { ...stored, sessionId: 'session-2', subject: 'viewer-2' }]],
])('it finds %s', (finding, sessions) => {
  expect(findingsOf(sessions)).toEqual([finding]);
});

test('a session that nobody was told of may be stored or not, and is found by its viewer', () => {
  const unconfirmed = { ...expected, name: 'viewer-1', isStarted: false, licenseRequests: undefined };
  expect(findingsOf([], unconfirmed)).toEqual([]);
  expect(findingsOf([stored], unconfirmed)).toEqual([]);
});
