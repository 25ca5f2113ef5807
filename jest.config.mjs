/** @type {import('jest').Config} */
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/test'],
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts'],
  // They need what was built, and a registry: `npm run test:package` and `npm run test:upgrade`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/package/', '<rootDir>/test/upgrade/rolling'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false, tsconfig: '<rootDir>/tsconfig.json' }],
  },
  // Relative imports carry `.js`, as Node wants them; the sources beside them are `.ts`.
  // A thread starts from a file that Node can run: the global set-up compiles the one that there is.
  // Samples import the package by its name, which is what stands here.
  moduleNameMapper: {
    '/heartbeat-program\\.js$': '<rootDir>/test/support/heartbeat-program.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^nestjs-cron-store$': '<rootDir>/lib/index.ts',
    '^nestjs-cron-store/testing$': '<rootDir>/lib/testing/index.ts',
    '^nestjs-cron-store/health$': '<rootDir>/lib/health/index.ts',
    '^nestjs-cron-store/health/terminus$': '<rootDir>/lib/health/terminus.ts',
  },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  maxWorkers: 2,
  testTimeout: 60_000,
};
