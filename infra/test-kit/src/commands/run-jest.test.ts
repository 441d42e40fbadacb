import { countTests } from './run-jest';

const result = { numPassedTests: 7, numFailedTests: 2, numRuntimeErrorTestSuites: 0, numTotalTests: 9 };

test('passed and failed tests are counted', () => {
  expect(countTests(JSON.stringify(result))).toEqual({ passed: 7, failed: 2 });
});

test('a suite that could not run counts as failed', () => {
  expect(countTests(JSON.stringify({ ...result, numRuntimeErrorTestSuites: 3 }))).toEqual({ passed: 7, failed: 5 });
});
