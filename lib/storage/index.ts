export { migrate } from './schema/auto-migrate.js';
export { AUDIT_SORT_FIELDS, type AuditSearch, type AuditSortField } from './audit/audit-page.store.js';
export { MigrationRefusedError } from './schema/migration-refused.error.js';
export { type MigrationSql, migrationSql } from './schema/migration-sql.js';
export { missedRun } from './claims/claim-journal.js';
export type { ClaimedRun, ClaimResult } from './claims/claim-result.js';
export { ClaimUnconfirmedError } from './claims/claim-unconfirmed.error.js';
export { isConnectionFailure } from './connections/connection-failure.js';
export { explained } from './connections/database-unusable.error.js';
export type { Transaction } from './connections/connections.js';
export type { Executor } from './connections/executor.js';
export { outliveDeadlocks } from './connections/outlive-deadlocks.js';
export { serverNow } from './connections/server-time.js';
export type { HandlerTransaction, HandlerTransactions } from './connections/handler-transaction.js';
export type { NodeDescription, StandInStatement } from './nodes/heartbeat.store.js';
export { isUuid, mintId } from './statements/identifiers.js';
export { insertRuns, type NewRun } from './runs/new-runs.js';
export type { Load } from './nodes/load.store.js';
export { MAX_ERROR_LENGTH, type RunOutcome, type StandingOutcome } from './runs/outcome.store.js';
export { checkSchema } from './schema/schema-check.js';
export { StoreSchemaError } from './schema/store-schema.error.js';
export type { PrunedTables } from './schema/privileges.js';
export type { FireRequest } from './schedules/fire-requests.js';
export type { StoreHealth } from './nodes/health.store.js';
export type { HoldTarget } from './schedules/hold.store.js';
export { NODE_SORT_FIELDS, type NodeSearch, type NodeSortField } from './nodes/node.store.js';
export { MAX_PAGED_ROWS, type Page, type PageSlice } from './statements/page.js';
export { RUN_SORT_FIELDS, type RunSortField } from './journal/run-page.store.js';
export type { RunSearch } from './journal/run-search.js';
export type { RunCounts } from './journal/run-statistics.store.js';
export {
  SCHEDULE_SORT_FIELDS,
  type ScheduleSearch,
  type ScheduleSortField,
} from './schedules/schedule-page.store.js';
export type { JournaledRunDetail, RunSelection } from './journal/journal.store.js';
export type {
  Enablement,
  Pause,
  ScheduledJob,
  SchedulePosition,
  ScheduleSelection,
} from './schedules/schedule.store.js';
export { SCHEMA_VERSION } from './schema/schema-version.js';
export { checkServerVersion } from './schema/server-version.js';
export { StoreSchema } from './schema/store-schema.js';
export { CRON_STORE_STORAGE } from './storage.token.js';
export { PostgresClock, StoreClock } from './store-clock.js';
export { Storage } from './storage.js';
export type { TakenOverRun } from './runs/takeover.js';
export type { HeardWakeUp } from './wake-ups/wake-up.js';
export type { WakeUpListener } from './wake-ups/wake-up.listener.js';
export type { ZonedSchedule } from './schedules/zone-rules.store.js';
