/** The suites that only `npm run long` runs, unless they are named: a pattern of their paths. */
export const longSuites = '\\.long\\.test\\.ts$';
