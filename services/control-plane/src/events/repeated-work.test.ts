import { eventually } from '../testing/eventually';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { RepeatedWork } from './repeated-work';

test('work that fails is tried again soon, and logged once', async () => {
  const log: LogEntry[] = [];
  let times = 0;
  const work = new RepeatedWork({
    name: 'computing usage',
    milliseconds: 3_600_000,
    logger: recordingLogger(log),
    work: async () => {
      times += 1;
      if (times < 3) throw new Error('no');
    },
  });
  work.start();
  await eventually(async () => expect(times).toBe(3));
  await work.stop();
  expect(log.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'computing usage fails'],
    ['info', 'computing usage has resumed'],
  ]);
});
