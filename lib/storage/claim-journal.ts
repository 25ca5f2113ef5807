import {
  definedFields,
  occurrenceKey,
  SYSTEM_ACTOR,
  type ClaimStep,
  type FireDecision,
  type JsonValue,
  type MissedGap,
  type RunReason,
  type Schedule,
} from '../schedules/index.js';
import { mintId } from './identifiers.js';
import type { NewRun } from './new-runs.js';

/** Who claims, and when. */
export interface ClaimContext {
  readonly nodeId: string;
  readonly nowUnixMs: number;
}

/** A record of a claim, and what of its schedule the execution needs. */
export interface JournaledRun {
  readonly run: NewRun;
  readonly schedule: Schedule;
}

type ScheduleFacts = Pick<Schedule, 'id' | 'name' | 'jobName'>;

/** Writes down what a step of a claim plan does, as records of the journal. */
export function journalStep(step: ClaimStep, context: ClaimContext): JournaledRun[] {
  const { schedule } = step;
  return runsOf(step, context).map((run) => ({ run, schedule }));
}

/** The record of occurrences that never run. */
export function missedRun(
  schedule: ScheduleFacts,
  gap: MissedGap,
  reason: RunReason,
  nowUnixMs: number,
): NewRun {
  return {
    ...occurrenceRun(schedule, gap.firstAtUnixMs, nowUnixMs),
    status: 'missed',
    reason,
    missedCount: gap.count,
  };
}

/** The params of a run: its own where it has any, else the schedule's. */
export function paramsOf({ run, schedule }: JournaledRun): JsonValue | undefined {
  return run.params === undefined ? schedule.params : run.params;
}

function runsOf(step: ClaimStep, context: ClaimContext): NewRun[] {
  const { nowUnixMs } = context;
  switch (step.kind) {
    case 'advance':
      return [...missedRuns(step, nowUnixMs), ...firedRuns(step, context)];
    case 'request':
      return step.fire === 'queue'
        ? []
        : [decided(requestedRun(step, nowUnixMs), step.schedule, step.fire, context)];
    case 'backfill': {
      const run = occurrenceRun(step.schedule, step.backfill.cursorUnixMs, nowUnixMs);
      return [started({ ...run, origin: 'backfill', createdBy: step.backfill.createdBy }, context)];
    }
    case 'park':
      return [
        {
          ...occurrenceRun(step.schedule, step.cursorUnixMs, nowUnixMs),
          status: 'failed',
          reason: 'schedule_unreadable',
          nodeId: context.nodeId,
          error: `The schedule cannot be evaluated and was parked: ${step.reason}`,
        },
      ];
    case 'replace':
      return [];
  }
}

type AdvanceStep = Extract<ClaimStep, { kind: 'advance' }>;

function missedRuns({ schedule, due }: AdvanceStep, nowUnixMs: number): NewRun[] {
  const reason = due.backfillUntilUnixMs === undefined ? 'misfire' : 'backfill_limit';
  return due.missed === undefined ? [] : [missedRun(schedule, due.missed, reason, nowUnixMs)];
}

function firedRuns({ schedule, due, fire }: AdvanceStep, context: ClaimContext): NewRun[] {
  return due.fireAtUnixMs === undefined || fire === 'queue'
    ? []
    : [decided(occurrenceRun(schedule, due.fireAtUnixMs, context.nowUnixMs), schedule, fire, context)];
}

function decided(
  run: NewRun,
  schedule: Schedule,
  fire: Exclude<FireDecision, 'queue'>,
  context: ClaimContext,
): NewRun {
  return fire === 'run'
    ? started(run, context)
    : {
        ...run,
        status: 'skipped',
        reason: schedule.concurrencyPolicy === 'queue' ? 'queue_full' : 'overlap',
      };
}

function started(run: NewRun, { nodeId, nowUnixMs }: ClaimContext): NewRun {
  return { ...run, status: 'running', nodeId, heartbeatAtUnixMs: nowUnixMs };
}

function occurrenceRun(schedule: ScheduleFacts, occurrenceAtUnixMs: number, nowUnixMs: number): NewRun {
  return {
    ...newRun(schedule, nowUnixMs),
    origin: 'schedule',
    scheduledAtUnixMs: occurrenceAtUnixMs,
    occurrenceAtUnixMs,
    attempt: 1,
    recoveries: 0,
    idempotencyKey: occurrenceKey(schedule.id, occurrenceAtUnixMs),
    createdBy: SYSTEM_ACTOR.id,
  };
}

function requestedRun(
  { schedule, request }: Extract<ClaimStep, { kind: 'request' }>,
  nowUnixMs: number,
): NewRun {
  return {
    ...newRun(schedule, nowUnixMs),
    ...definedFields({
      origin: request.origin,
      scheduledAtUnixMs: request.scheduledAtUnixMs,
      occurrenceAtUnixMs: request.occurrenceAtUnixMs,
      attempt: request.attempt,
      recoveries: request.recoveries,
      repeatsRunId: request.repeatsRunId,
      idempotencyKey: request.idempotencyKey,
      requestKey: request.requestKey,
      params: request.params,
      createdBy: request.createdBy,
    }),
  };
}

function newRun(schedule: ScheduleFacts, nowUnixMs: number) {
  return {
    id: mintId(nowUnixMs),
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    jobName: schedule.jobName,
    claimedAtUnixMs: nowUnixMs,
    status: 'running',
    missedCount: 0,
    createdAtUnixMs: nowUnixMs,
  } as const;
}
