export { migrate } from './auto-migrate.js';
export type { Agenda } from './agenda.store.js';
export { AUDIT_SORT_FIELDS, type AuditSearch, type AuditSortField } from './audit-page.store.js';
export { MigrationRefusedError } from './migration-refused.error.js';
export { type MigrationSql, migrationSql } from './migration-sql.js';
export { missedRun } from './claim-journal.js';
export type { ClaimedRun, ClaimResult } from './claim-result.js';
export { ClaimUnconfirmedError } from './claim-unconfirmed.error.js';
export { isConnectionFailure } from './connection-failure.js';
export { explained } from './database-unusable.error.js';
export type { Transaction } from './connections.js';
export type { Executor } from './executor.js';
export type { HandlerTransaction, HandlerTransactions } from './handler-transaction.js';
export type { BeatingRun, NodeDescription, StandInStatement } from './heartbeat.store.js';
export { isUuid, mintId } from './identifiers.js';
export { insertRuns, type NewRun } from './new-runs.js';
export type { Load } from './load.store.js';
export { MAX_ERROR_LENGTH, type RunOutcome, type StandingOutcome } from './outcome.store.js';
export { checkSchema, StoreSchemaError } from './schema-check.js';
export type { PrunedTables } from './privileges.js';
export type { FireRequest } from './fire-requests.js';
export type { StoreHealth } from './health.store.js';
export type { HoldTarget } from './hold.store.js';
export { NODE_SORT_FIELDS, type NodeSearch, type NodeSortField } from './node.store.js';
export { MAX_PAGED_ROWS, type Page, type PageSlice } from './page.js';
export { RUN_SORT_FIELDS, type RunSortField } from './run-page.store.js';
export type { RunSearch } from './run-search.js';
export type { RunCounts } from './run-statistics.store.js';
export { SCHEDULE_SORT_FIELDS, type ScheduleSearch, type ScheduleSortField } from './schedule-page.store.js';
export type { RunSelection } from './journal.store.js';
export type {
  Enablement,
  JobSelection,
  Pause,
  ScheduledJob,
  SchedulePosition,
  ScheduleSelection,
} from './schedule.store.js';
export { SCHEMA_VERSION } from './schema-version.js';
export { checkServerVersion } from './server-version.js';
export { StoreSchema } from './store-schema.js';
export { CRON_STORE_STORAGE } from './storage.token.js';
export { PostgresClock, StoreClock } from './store-clock.js';
export { Storage } from './storage.js';
export type { TakenOverRun } from './takeover.js';
export type { WakeUpListener } from './wake-up.listener.js';
export type { ZonedSchedule } from './zone-rules.store.js';
