import { noteClockSteps, watchedClock } from './clock-steps';

const minute = 60_000;

test('each step is counted, and warned of once a minute', () => {
  let [time, counted] = [0, 0];
  const warnings: unknown[] = [];
  const onStep = noteClockSteps({
    clock: 'Redis',
    logger: { warn: (...entry) => warnings.push(entry) },
    monotonicNow: () => time,
    count: () => {
      counted += 1;
    },
  });
  onStep(-90_000);
  onStep(90_000);
  expect([counted, warnings]).toEqual([2, [['a clock was set', { clock: 'Redis', seconds: -90 }]]]);
  time += minute;
  onStep(1_234);
  expect(warnings.slice(1)).toEqual([['a clock was set', { clock: 'Redis', seconds: 1.2 }]]);
});

describe('a watched clock', () => {
  let [wall, monotonic] = [0, 0];
  let steps: number[];
  let now: () => Date;
  beforeEach(() => {
    [wall, monotonic, steps] = [1_800_000_000_000, 5_000, []];
    now = watchedClock({ wallNow: () => wall, monotonicNow: () => monotonic, onStep: (step) => steps.push(step) });
  });

  test('reports each step once, with its direction', () => {
    now();
    wall -= 90_000;
    expect(now()).toEqual(new Date(wall));
    now();
    wall += 2_000;
    now();
    expect(steps).toEqual([-90_000, 2_000]);
  });

  test('reports no step while both clocks run alike, or the process is held up between them', () => {
    now();
    wall += 10 * minute;
    monotonic += 10 * minute;
    now();
    wall += minute;
    const readings = [monotonic, monotonic + minute];
    const heldUp = watchedClock({
      wallNow: () => wall,
      monotonicNow: () => readings.shift() ?? monotonic + minute,
      onStep: (step) => steps.push(step),
    });
    heldUp();
    heldUp();
    expect(steps).toEqual([]);
  });
});
