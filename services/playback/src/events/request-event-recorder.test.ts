import type { Logger } from '@multi-drm/service-kit';
import type { RequestEvent } from '@multi-drm/slots';
import { refusal } from '../testing/request-event';
import { RequestEventRecorder } from './request-event-recorder';

const { at, count, ...happened } = refusal();

/** A recorder whose time passes when the test says so. */
function startRecorder(append?: (events: RequestEvent[]) => Promise<void>) {
  const told: RequestEvent[][] = [];
  const logged: string[] = [];
  const log = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
  const logger: Logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
  const time = { redis: at, process: 0 };
  let lost = 0;
  let endPause: () => void = () => undefined;
  const recorder = new RequestEventRecorder({
    append: append ?? (async (events) => void told.push(events)),
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
    told,
    logged,
    time,
    lost: () => lost,
    passInterval: async () => {
      endPause();
      await new Promise(setImmediate);
    },
  };
}

test('what was recorded is told together after a quarter of a second, with its time by Redis', async () => {
  const { recorder, told, time, passInterval } = startRecorder();
  recorder.start();
  recorder.record(happened);
  time.redis += 5;
  recorder.record({ ...happened, subject: 'viewer-2' });
  expect(told).toEqual([]);
  await passInterval();
  expect(told).toEqual([[refusal(), refusal({ subject: 'viewer-2', at: at + 5 })]]);
  await passInterval();
  expect(told).toHaveLength(1);
  await recorder.stop();
});

test('a stop tells what is left', async () => {
  const { recorder, told } = startRecorder();
  recorder.start();
  recorder.record(happened);
  await recorder.stop();
  expect(told).toEqual([[refusal()]]);
});

test('beyond 5,000, further events are not kept, and counted', async () => {
  const { recorder, told, lost } = startRecorder();
  for (let i = 0; i < 5_003; i += 1) recorder.record({ ...happened, kind: 'license.issued' });
  await recorder.flush();
  expect(told[0]).toMatchObject([{ count: 5_000 }]);
  expect(lost()).toBe(3);
  recorder.record(happened);
  await recorder.flush();
  expect(told).toHaveLength(2);
});

test('events that Redis does not take are counted, and the next ones are told', async () => {
  let failure: Error | null = new Error('Connection is closed.');
  const told: RequestEvent[][] = [];
  const { recorder, logged, time, lost } = startRecorder(async (events) => {
    if (failure !== null) throw failure;
    told.push(events);
  });
  const recordAndFlush = async () => {
    for (let i = 0; i < 3; i += 1) recorder.record(happened);
    await recorder.flush();
  };
  await recordAndFlush();
  expect(lost()).toBe(3);
  expect(logged).toEqual(['debug: refusals and license requests cannot be told at the moment']);
  failure = new Error('something else');
  for (const seconds of [0, 1, 59]) {
    time.process += seconds * 1_000;
    await recordAndFlush();
  }
  expect(logged.slice(1)).toEqual(Array(2).fill('error: refusals and license requests cannot be told'));
  failure = null;
  await recordAndFlush();
  expect(told).toEqual([[refusal({ count: 3 })]]);
  expect(lost()).toBe(12);
});
