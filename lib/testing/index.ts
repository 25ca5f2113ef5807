// What `nestjs-cron-store/testing` exports. Nothing here is needed in production.

// Time and fires on a real database
export { StoreClock } from '../storage/index.js';
export { CronStoreTester, type WaitOptions } from './cron-store-tester.js';
export { ManualStoreClock } from './manual-store-clock.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';

// Unit tests without a store
export {
  buildExecution,
  buildRun,
  buildSchedule,
  buildTransactionalExecution,
  type ExecutionOverrides,
} from './builders.js';
