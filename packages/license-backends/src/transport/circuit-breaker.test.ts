import { type Attempt, CircuitBreaker } from './circuit-breaker';

let time: number;
let breaker: CircuitBreaker;
beforeEach(() => {
  time = 5_000;
  breaker = new CircuitBreaker({ failuresToOpen: 3, openMilliseconds: 1_000, now: () => time });
});

function enter(): Attempt {
  const attempt = breaker.enter();
  if (attempt === undefined) throw new Error('the request was not admitted');
  return attempt;
}
const failTimes = (count: number) => {
  for (let n = 0; n < count; n += 1) enter().failed();
};

test('opens at the third consecutive failure, not before', () => {
  failTimes(2);
  expect(breaker.refuses()).toBe(false);
  failTimes(1);
  expect(breaker.refuses()).toBe(true);
  expect(breaker.enter()).toBeUndefined();
});

test('only a success resets the count of failures', () => {
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

  test('reports the remaining time, and then admits one probe', () => {
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

  test('a successful probe closes the circuit and resets the count', () => {
    time += 1_000;
    enter().succeeded();
    failTimes(2);
    expect(breaker.refuses()).toBe(false);
    failTimes(1);
    expect(breaker.refuses()).toBe(true);
  });

  test('a failed probe opens the circuit again at once', () => {
    time += 1_500;
    enter().failed();
    expect(breaker.remainingMilliseconds()).toBe(1_000);
    expect(breaker.enter()).toBeUndefined();
  });

  test('an undecided probe allows another', () => {
    time += 1_000;
    enter().undecided();
    enter();
    expect(breaker.enter()).toBeUndefined();
  });

  test('outcomes of earlier requests are ignored', () => {
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
