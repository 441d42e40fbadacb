// The configuration of every suite. Suites are next to the code and run from source, with real PostgreSQL and Redis.

const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/infra/test-kit/src/jest/shared-dependencies/environment.ts',
  runtime: '<rootDir>/infra/test-kit/src/jest/shared-dependencies/runtime.cjs',
  // Detects hangs and does not measure speed, because machines under load are slow.
  testTimeout: 60_000,
  // More workers than cores, because suites also wait for their servers. With one per core, a quarter of the processor time is unused.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  testSequencer: '<rootDir>/infra/test-kit/src/jest/longest-first.cjs',
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/infra'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: '<rootDir>/infra/test-kit/src/jest/global-setup.ts',
  setupFiles: ['<rootDir>/infra/test-kit/src/jest/start-quickly.ts'],
  setupFilesAfterEnv: ['<rootDir>/infra/test-kit/src/secrets/observe-suite.ts'],
  globalTeardown: '<rootDir>/infra/test-kit/src/jest/global-teardown.ts',
  transform: {
    '^.+\\.[jt]s$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // "source" makes workspace packages resolve to their TypeScript, so that a test run needs no build.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
};
