import { type Attempt, CircuitBreaker } from './circuit-breaker';

let time: number;
let breaker: CircuitBreaker;
beforeEach(() => {
  time = 5_000;
  breaker = new CircuitBreaker({ failuresToOpen: 3, openMilliseconds: 1_000, now: () => time });
});

function enter(): Attempt {
  const attempt = breaker.enter();
  if (attempt === undefined) throw new Error('nothing goes through');
  return attempt;
}
const failTimes = (count: number) => {
  for (let n = 0; n < count; n += 1) enter().failed();
};

test('opens at the third failure in a row, not before', () => {
  failTimes(2);
  expect(breaker.refuses()).toBe(false);
  failTimes(1);
  expect(breaker.refuses()).toBe(true);
  expect(breaker.enter()).toBeUndefined();
});

test('a success, and nothing less, ends a row', () => {
  failTimes(2);
  enter().succeeded();
  failTimes(2);
  enter().undecided();
  expect(breaker.refuses()).toBe(false);
  failTimes(1);
  expect(breaker.refuses()).toBe(true);
});

describe('open', () => {
  let before: Attempt;
  beforeEach(() => {
    before = enter();
    failTimes(3);
  });

  test('says how long, and lets one probe through then', () => {
    expect(breaker.remainingMilliseconds()).toBe(1_000);
    time += 999;
    expect(breaker.enter()).toBeUndefined();
    expect(breaker.remainingMilliseconds()).toBe(1);
    time += 1;
    expect(breaker.refuses()).toBe(false);
    enter();
    expect(breaker.refuses()).toBe(true);
    expect(breaker.enter()).toBeUndefined();
  });

  test('a probe that succeeds closes it, with a clean slate', () => {
    time += 1_000;
    enter().succeeded();
    failTimes(2);
    expect(breaker.refuses()).toBe(false);
    failTimes(1);
    expect(breaker.refuses()).toBe(true);
  });

  test('a probe that fails opens it again at once', () => {
    time += 1_500;
    enter().failed();
    expect(breaker.remainingMilliseconds()).toBe(1_000);
    expect(breaker.enter()).toBeUndefined();
  });

  test('a probe that says nothing leaves room for another', () => {
    time += 1_000;
    enter().undecided();
    enter();
    expect(breaker.enter()).toBeUndefined();
  });

  test('what was under way before counts for nothing', () => {
    before.succeeded();
    expect(breaker.refuses()).toBe(true);
    time += 500;
    before.failed();
    expect(breaker.remainingMilliseconds()).toBe(500);
    time += 500;
    enter().succeeded();
    failTimes(2);
    before.failed();
    expect(breaker.refuses()).toBe(false);
  });
});
