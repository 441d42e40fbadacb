import { compareUsage, type MinuteUsage, naiveUsage } from './expected-usage';
import type { StoredSession } from './stored-sessions';

const fact = (at: number) => ({ at, storedAt: at, reason: '', licenseRequests: null });
const session = (from: number, to: number): StoredSession => ({
  sessionId: `session-${from}`,
  subject: 'viewer',
  reservationId: `reservation-${from}`,
  starts: [fact(from)],
  ends: [fact(to)],
});

const sessions = [session(10_000, 20_000.5), session(15_000, 130_000), session(20_000.5, 30_000)];
const usage: MinuteUsage[] = [
  { minute: 0, started: 3, ended: 2, peak: 2, streamSeconds: 64.9995 + 0.0005 },
  { minute: 60_000, started: 0, ended: 0, peak: 1, streamSeconds: 60 },
  { minute: 120_000, started: 0, ended: 1, peak: 1, streamSeconds: 10 },
];

test('sessions are counted in each minute, and one that ends when another starts is no stream more', () => {
  expect(naiveUsage(sessions)).toEqual(usage);
});

test('usage that is the same, without minutes in which nothing happened, is as expected', () => {
  expect(
    compareUsage(
      sessions,
      usage.filter(({ minute }) => minute !== 60_000),
    ),
  ).toEqual([]);
});

test.each<[string, Partial<MinuteUsage>]>([
  ['1 × a minute of usage with another number: started', { started: 2 }],
  ['1 × a minute of usage with another number: ended', { ended: 3 }],
  ['1 × a minute of usage with another number: peak', { peak: 3 }],
  ['1 × a minute of usage with other stream seconds', { streamSeconds: 65.001 }],
])('it finds %s', (finding, change) => {
  const [first, ...others] = usage;
  const sentences = compareUsage(sessions, [{ ...(first as MinuteUsage), ...change }, ...others]);
  expect(sentences.map((sentence) => sentence.replace(/, such as.*/, ''))).toEqual([finding]);
});

test('it finds a minute in which no session was', () => {
  const [first] = usage;
  expect(compareUsage(sessions, [...usage, { ...(first as MinuteUsage), minute: 180_000 }])).toHaveLength(1);
});
