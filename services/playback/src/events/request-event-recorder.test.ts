import type { Logger } from '@multi-drm/service-kit';
import type { RequestEvent } from '@multi-drm/slots';
import { refusal } from '../testing/request-event';
import { RequestEventRecorder } from './request-event-recorder';

const { at, count, ...happened } = refusal();

/** A recorder whose time passes when the test says so. */
function startRecorder(append?: (events: RequestEvent[]) => Promise<void>) {
  const reported: RequestEvent[][] = [];
  const logged: string[] = [];
  const log = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
  const logger: Logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
  const time = { redis: at, process: 0 };
  let lost = 0;
  let endPause: () => void = () => undefined;
  const recorder = new RequestEventRecorder({
    append: append ?? (async (events) => void reported.push(events)),
    redisNow: () => new Date(time.redis),
    onLost: (events) => {
      lost += events;
    },
    logger,
    processNow: () => time.process,
    pause: (milliseconds, signal) =>
      new Promise((resolve) => {
        expect(milliseconds).toBe(250);
        endPause = resolve;
        signal.addEventListener('abort', () => resolve());
      }),
  });
  return {
    recorder,
    reported,
    logged,
    time,
    lost: () => lost,
    passInterval: async () => {
      endPause();
      await new Promise(setImmediate);
    },
  };
}

test('what was recorded is reported together after a quarter of a second, with its time by Redis', async () => {
  const { recorder, reported, time, passInterval } = startRecorder();
  recorder.start();
  recorder.record(happened);
  time.redis += 5;
  recorder.record({ ...happened, subject: 'viewer-2' });
  expect(reported).toEqual([]);
  await passInterval();
  expect(reported).toEqual([[refusal(), refusal({ subject: 'viewer-2', at: at + 5 })]]);
  await passInterval();
  expect(reported).toHaveLength(1);
  await recorder.stop();
});

test('a stop reports what is left', async () => {
  const { recorder, reported } = startRecorder();
  recorder.start();
  recorder.record(happened);
  await recorder.stop();
  expect(reported).toEqual([[refusal()]]);
});

test('beyond 5,000, further events are not kept, and counted', async () => {
  const { recorder, reported, lost } = startRecorder();
  for (let i = 0; i < 5_003; i += 1) recorder.record({ ...happened, kind: 'license.issued' });
  await recorder.flush();
  expect(reported[0]).toMatchObject([{ count: 5_000 }]);
  expect(lost()).toBe(3);
  recorder.record(happened);
  await recorder.flush();
  expect(reported).toHaveLength(2);
});

test('events that Redis does not take are counted, and the next ones are reported', async () => {
  let failure: Error | null = new Error('Connection is closed.');
  const reported: RequestEvent[][] = [];
  const { recorder, logged, time, lost } = startRecorder(async (events) => {
    if (failure !== null) throw failure;
    reported.push(events);
  });
  const recordAndFlush = async () => {
    for (let i = 0; i < 3; i += 1) recorder.record(happened);
    await recorder.flush();
  };
  await recordAndFlush();
  expect(lost()).toBe(3);
  expect(logged).toEqual(['debug: refusals and license requests cannot be reported at the moment']);
  failure = new Error('something else');
  for (const seconds of [0, 1, 59]) {
    time.process += seconds * 1_000;
    await recordAndFlush();
  }
  expect(logged.slice(1)).toEqual(Array(2).fill('error: refusals and license requests cannot be reported'));
  failure = null;
  await recordAndFlush();
  expect(reported).toEqual([[refusal({ count: 3 })]]);
  expect(lost()).toBe(12);
});
