// One configuration for every suite: run from source, beside the code, on real PostgreSQL and real Redis.

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  // A bound for what hangs, not a measure of speed: machines under load are slow.
  testTimeout: 60_000,
  // Suites run beside servers of their own, and wait for them half of their time: by its default jest would leave a core idle.
  maxWorkers: '100%',
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/infra'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: '<rootDir>/infra/local/src/testing/global-setup.ts',
  setupFiles: ['<rootDir>/infra/local/src/testing/start-quickly.ts'],
  setupFilesAfterEnv: ['<rootDir>/infra/local/src/testing/secrets/observe-suite.ts'],
  globalTeardown: '<rootDir>/infra/local/src/testing/global-teardown.ts',
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
  // jose is published as ES modules alone; every other dependency runs as it is.
  transformIgnorePatterns: ['/node_modules/(?!\\.pnpm|jose/)'],
  // "source" makes workspace packages resolve to their TypeScript, so that a test run needs no build.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
};
