// The words of the domain
export {
  AUDIT_OUTCOMES,
  SYSTEM_ACTOR,
  type Actor,
  type AuditOutcome,
  type AuditRecord,
  type RequestFacts,
} from './audit.js';
export {
  BACKFILL_STATUSES,
  MAX_BACKFILL_OCCURRENCES,
  type Backfill,
  type BackfillRequest,
  type BackfillStatus,
} from './backfill.js';
export type { Hold } from './hold.js';
export type { Node } from './node.js';
export {
  CONCURRENCY_POLICIES,
  MISFIRE_POLICIES,
  type ConcurrencyPolicy,
  type MisfirePolicy,
} from './policies.js';
export {
  RUN_ORIGINS,
  RUN_REASONS,
  RUN_STATUSES,
  type Run,
  type RunOrigin,
  type RunReason,
  type RunStatus,
  type RunSummary,
  type TerminalRunStatus,
} from './run.js';
export {
  SCHEDULE_STATES,
  type DefaultSchedule,
  type Duration,
  type FiringSchedule,
  type JsonValue,
  type ListedSchedule,
  type RemovableField,
  type Schedule,
  type SchedulePatch,
  type ScheduleSpec,
  type ScheduleState,
} from './schedule.js';

// What is given, and how it is refused
export { flagField, instantField } from './checked-fields.js';
export { definedFields } from './defined-fields.js';
export { unixMsOf } from './instant.js';
export { JobNotRegisteredError } from './job-not-registered.error.js';
export { knownFields, type Fields } from './known-fields.js';
export { parseParams } from './params.js';
export { preview } from './preview.js';
export { RunNotFoundError } from './run-not-found.error.js';
export {
  defineSchedule,
  MAX_BACKFILL_LIMIT,
  SPEC_FIELDS,
  validName,
  type ScheduleDefinition,
} from './schedule-definition.js';
export {
  ScheduleConflictError,
  ScheduleDisabledError,
  ScheduleExistsError,
  ScheduleInvalidError,
  ScheduleNotFoundError,
} from './schedule.errors.js';
export { isStorableText } from './storable-text.js';
export { StoreDisabledError, StoreEnvironmentError } from './store.errors.js';

// Decisions
export {
  isMisfiredCandidate,
  type ClaimCandidate,
  type Lateness,
  type PendingRequest,
} from './claim-candidates.js';
export { planClaim, type ClaimStep, type FireDecision } from './claim-plan.js';
export { occurrenceKey } from './idempotency-key.js';
export { decideDue, overdueGap, type DueDecision, type MissedGap } from './misfire.js';
export {
  backoffAfter,
  defineRetry,
  MAX_RETRY_ATTEMPTS,
  MAX_RETRY_FACTOR,
  RETRY_DEFAULTS,
  type CompleteRetryPolicy,
  type RetryPolicy,
} from './retry.js';
export { scheduleState } from './schedule-state.js';
export { occurrencesOfSchedule, occurrencesOfTiming, triggerOf } from './schedule-timing.js';
