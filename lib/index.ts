// The public API. Nothing that is not exported here can be imported.

// The module
export { CronStoreModule } from './cron-store.module.js';
export {
  CronStoreOptionsError,
  DEFAULT_AUDIT_REDACT,
  type CronStoreModuleExtras,
  type CronStoreOptions,
} from './options/index.js';

// Several stores
export {
  getCronStoreEngineToken,
  getJobHandlerRegistryToken,
  getScheduleManagerToken,
  InjectCronStoreEngine,
  InjectJobHandlerRegistry,
  InjectScheduleManager,
} from './store-tokens.js';

// Job handlers
export {
  Execution,
  JobHandler,
  JobHandlerInvalidError,
  JobHandlerRegistry,
  ParamsInvalidError,
  TransactionalExecution,
  type DefaultScheduleAnswer,
  type JobHandlerDecorator,
  type JobHandlerOptions,
  type JobRegistration,
  type Occurrence,
  type TransactionalJobRegistration,
} from './jobs/index.js';

// Around runs and claims
export {
  ClaimObserver,
  ExtensionInvalidError,
  RunInterceptor,
  type Claim,
  type ClaimIntent,
} from './jobs/index.js';

// Triggers
export {
  countFires,
  cron,
  DEFAULT_TIMEZONE,
  describeTrigger,
  every,
  MAX_DURATION_MS,
  MIN_INTERVAL_MS,
  nextFires,
  once,
  TriggerInvalidError,
  validateTrigger,
  type CountFiresOptions,
  type CronTrigger,
  type DstGap,
  type FireWindow,
  type Instant,
  type IntervalTrigger,
  type NextFiresOptions,
  type OnceTrigger,
  type Trigger,
  type TriggerFault,
  type TriggerKind,
} from './triggers/index.js';

// Schedules and runs
export type {
  Actor,
  Backfill,
  BackfillRequest,
  BackfillStatus,
  CompleteRetryPolicy,
  ConcurrencyPolicy,
  DefaultSchedule,
  Duration,
  Hold,
  JsonValue,
  ListedSchedule,
  MisfirePolicy,
  Node,
  RemovableField,
  RequestFacts,
  RetryPolicy,
  Run,
  RunOrigin,
  RunReason,
  RunStatus,
  Schedule,
  SchedulePatch,
  ScheduleSpec,
  ScheduleState,
  TerminalRunStatus,
} from './schedules/index.js';

// Management
export {
  ScheduleManager,
  type BackfillPreview,
  type CancelReceipt,
  type HoldOptions,
  type HoldTarget,
  type ManualFireReceipt,
  type MutationOptions,
  type PauseOptions,
  type RerunOptions,
  type RunDetail,
  type RunFilter,
  type ScheduleDetail,
  type ScheduleFilter,
  type TakeOver,
  type TakeOverOptions,
  type TriggerOptions,
  type UnversionedOptions,
} from './manager/index.js';

// The management API over HTTP
export {
  ActorResolver,
  PermissionChecker,
  type HttpRequest,
  type ManagementExtras,
  type ManagementOptions,
  type PermissionQuery,
  type PermissionTarget,
} from './management/index.js';

// The console
export type { ConsoleExtras, ConsoleOptions } from './console/index.js';

// The engine
export {
  CronStoreEngine,
  RunAbortedError,
  type EngineFault,
  type EngineState,
  type EngineStatus,
  type PassResult,
} from './engine/index.js';

// Events
export {
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  RunAbandonedEvent,
  RunCanceledEvent,
  RunEvent,
  RunFailedEvent,
  RunMissedEvent,
  RunSkippedEvent,
  RunStartedEvent,
  RunSucceededEvent,
  type RunEventName,
  type RunEvents,
} from './events/index.js';

// Errors
export { CronStoreError } from './cron-store.error.js';
export {
  JobNotRegisteredError,
  RunNotFoundError,
  ScheduleConflictError,
  ScheduleDisabledError,
  ScheduleExistsError,
  ScheduleInvalidError,
  ScheduleNotFoundError,
  StoreDisabledError,
  StoreEnvironmentError,
} from './schedules/index.js';
export { StoreSchemaError } from './storage/index.js';

// Migrations
export {
  cronStoreMigrations,
  type CronStoreMigrationsOptions,
  type MigrationClass,
} from '../migrations/index.js';
