import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { partOfRound } from './part-of-round';

test('work that fails rejects no round, is logged once, and is tried again a second later', async () => {
  const log: LogEntry[] = [];
  let now = 0;
  let runs = 0;
  let failure: Error | undefined = new Error('no such table');
  const work = async () => {
    runs += 1;
    if (failure) throw failure;
  };
  const part = partOfRound({
    name: 'cleaning',
    milliseconds: 5_000,
    work,
    logger: recordingLogger(log),
    now: () => now,
  });
  const runsAt = async (milliseconds: number) => {
    now = milliseconds;
    await part();
    return runs;
  };
  expect([await runsAt(0), await runsAt(999), await runsAt(1_000)]).toEqual([1, 1, 2]);
  failure = undefined;
  expect([await runsAt(2_000), await runsAt(6_999), await runsAt(7_000)]).toEqual([3, 3, 4]);
  expect(log.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'cleaning fails'],
    ['info', 'cleaning has resumed'],
  ]);
});

test('an outage of a store is no warning of its own', async () => {
  const log: LogEntry[] = [];
  const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const part = partOfRound({
    name: 'cleaning',
    milliseconds: 5_000,
    work: () => Promise.reject(unavailable),
    logger: recordingLogger(log),
    now: () => 0,
  });
  await part();
  expect(log.filter(({ level }) => level !== 'debug')).toEqual([]);
});
