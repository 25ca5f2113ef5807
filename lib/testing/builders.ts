import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { Execution, TransactionalExecution, type ExecutionFacts } from '../jobs/index.js';
import { occurrenceKey, type Run, type Schedule } from '../schedules/index.js';
import { DEFAULT_STORE_NAME } from '../store-name.js';

/** What of an execution matters to a test; everything else has a default. */
export interface ExecutionOverrides extends Partial<Omit<ExecutionFacts, 'params' | 'abort'>> {
  /** Default: one that is never aborted. */
  readonly signal?: AbortSignal;
}

const AT_UNIX_MS = Date.UTC(2030, 0, 1);

/**
 * An execution as a handler gets it, to call one in a unit test without any store: the first attempt of an occurrence at
 * 2030-01-01T00:00:00Z, unless told otherwise.
 */
export function buildExecution<P = unknown>(params: P, overrides: ExecutionOverrides = {}): Execution<P> {
  return new Execution(factsOf(params, overrides), params);
}

/** As `buildExecution`, for a transactional handler. */
export function buildTransactionalExecution<P = unknown>(
  params: P,
  manager: EntityManager,
  overrides: ExecutionOverrides = {},
): TransactionalExecution<P> {
  return new TransactionalExecution(factsOf(params, overrides), params, manager);
}

/** A schedule as it is read: armed, with an hourly trigger, unless told otherwise. For code that shows or filters schedules. */
export function buildSchedule(overrides: Partial<Schedule> = {}): Schedule {
  return {
    id: randomUUID(),
    name: 'schedule',
    jobName: 'job',
    kind: 'interval',
    everyMs: 3_600_000,
    anchorAtUnixMs: AT_UNIX_MS,
    misfirePolicy: 'fire_now',
    concurrencyPolicy: 'forbid',
    recover: false,
    timeoutMs: 0,
    isEnabled: true,
    state: 'armed',
    nextFireAtUnixMs: AT_UNIX_MS + 3_600_000,
    version: 1,
    createdAtUnixMs: AT_UNIX_MS,
    createdBy: 'system',
    updatedAtUnixMs: AT_UNIX_MS,
    updatedBy: 'system',
    ...overrides,
  };
}

/** A run as it is read: one that succeeded within a second, unless told otherwise. For code that shows or filters runs. */
export function buildRun(overrides: Partial<Run> = {}): Run {
  const { scheduleId = randomUUID(), scheduledAtUnixMs = AT_UNIX_MS } = overrides;
  return {
    id: randomUUID(),
    scheduleId,
    scheduleName: 'schedule',
    jobName: 'job',
    origin: 'schedule',
    scheduledAtUnixMs,
    occurrenceAtUnixMs: scheduledAtUnixMs,
    claimedAtUnixMs: scheduledAtUnixMs,
    status: 'succeeded',
    nodeId: 'node',
    startedAtUnixMs: scheduledAtUnixMs,
    finishedAtUnixMs: scheduledAtUnixMs + 1_000,
    durationMs: 1_000,
    heartbeatAtUnixMs: scheduledAtUnixMs,
    missedCount: 0,
    attempt: 1,
    idempotencyKey: occurrenceKey(scheduleId, scheduledAtUnixMs),
    createdAtUnixMs: scheduledAtUnixMs,
    createdBy: 'system',
    ...overrides,
  };
}

function factsOf(
  params: unknown,
  { signal = new AbortController().signal, ...overrides }: ExecutionOverrides,
): ExecutionFacts {
  const { scheduleId = randomUUID(), scheduledAtUnixMs = AT_UNIX_MS, origin = 'schedule' } = overrides;
  const occurrence = origin === 'manual' ? {} : { occurrenceAtUnixMs: scheduledAtUnixMs };
  return {
    store: DEFAULT_STORE_NAME,
    runId: randomUUID(),
    scheduleId,
    scheduleName: 'schedule',
    jobName: 'job',
    scheduledAtUnixMs,
    ...occurrence,
    origin,
    attempt: 1,
    fence: 1,
    idempotencyKey: occurrenceKey(scheduleId, scheduledAtUnixMs),
    abort: { signal, throwIfAborted: () => signal.throwIfAborted() },
    nodeId: 'node',
    ...overrides,
    params,
  };
}
