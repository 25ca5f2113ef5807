import {
  definedFields,
  occurrenceKey,
  SYSTEM_ACTOR,
  type ClaimStep,
  type FireDecision,
  type JsonValue,
  type MissedGap,
  type RunReason,
  type FiringSchedule,
} from '../../schedules/index.js';
import { mintId } from '../statements/identifiers.js';
import type { NewRun } from '../runs/new-runs.js';

/** Who claims, and when. */
export interface ClaimContext {
  readonly nodeId: string;
  readonly nowUnixMs: number;
}

/** A record of a claim, and what of its schedule the execution needs. */
export interface JournaledRun {
  readonly run: NewRun;
  readonly schedule: FiringSchedule;
}

type ScheduleFacts = Pick<FiringSchedule, 'id' | 'name' | 'jobName'>;

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
  return occurrenceRun(schedule, gap.firstAtUnixMs, nowUnixMs, {
    status: 'missed',
    reason,
    missedCount: gap.count,
  });
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
        : [requestedRun(step, nowUnixMs, decided(step.schedule, step.fire, context))];
    case 'backfill':
      return [
        occurrenceRun(step.schedule, step.backfill.cursorUnixMs, nowUnixMs, {
          ...started(context),
          origin: 'backfill',
          createdBy: step.backfill.createdBy,
        }),
      ];
    case 'park':
      return [
        occurrenceRun(step.schedule, step.cursorUnixMs, nowUnixMs, {
          status: 'failed',
          reason: 'schedule_unreadable',
          nodeId: context.nodeId,
          error: `The schedule cannot be evaluated and was parked: ${step.reason}`,
        }),
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
    : [occurrenceRun(schedule, due.fireAtUnixMs, context.nowUnixMs, decided(schedule, fire, context))];
}

/** What of a record depends on what becomes of the fire. */
type RunFate = Pick<NewRun, 'status'> & Partial<NewRun>;

function decided(
  schedule: FiringSchedule,
  fire: Exclude<FireDecision, 'queue'>,
  context: ClaimContext,
): RunFate {
  return fire === 'run'
    ? started(context)
    : { status: 'skipped', reason: schedule.concurrencyPolicy === 'queue' ? 'queue_full' : 'overlap' };
}

function started({ nodeId, nowUnixMs }: ClaimContext): RunFate {
  return { status: 'running', nodeId, heartbeatAtUnixMs: nowUnixMs };
}

// One literal and one spread each: these are made for every fire, and each further copy costs as much as the rest of it.
function occurrenceRun(
  schedule: ScheduleFacts,
  occurrenceAtUnixMs: number,
  nowUnixMs: number,
  fate: RunFate,
): NewRun {
  return {
    id: mintId(nowUnixMs),
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    jobName: schedule.jobName,
    origin: 'schedule',
    scheduledAtUnixMs: occurrenceAtUnixMs,
    occurrenceAtUnixMs,
    claimedAtUnixMs: nowUnixMs,
    missedCount: 0,
    attempt: 1,
    recoveries: 0,
    idempotencyKey: occurrenceKey(schedule.id, occurrenceAtUnixMs),
    createdAtUnixMs: nowUnixMs,
    createdBy: SYSTEM_ACTOR.id,
    ...fate,
  };
}

function requestedRun(
  { schedule, request }: Extract<ClaimStep, { kind: 'request' }>,
  nowUnixMs: number,
  fate: RunFate,
): NewRun {
  return {
    id: mintId(nowUnixMs),
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    jobName: schedule.jobName,
    origin: request.origin,
    scheduledAtUnixMs: request.scheduledAtUnixMs,
    claimedAtUnixMs: nowUnixMs,
    missedCount: 0,
    attempt: request.attempt,
    recoveries: request.recoveries,
    idempotencyKey: request.idempotencyKey,
    createdAtUnixMs: nowUnixMs,
    createdBy: request.createdBy,
    ...definedFields({
      occurrenceAtUnixMs: request.occurrenceAtUnixMs,
      repeatsRunId: request.repeatsRunId,
      requestKey: request.requestKey,
      params: request.params,
      traceParent: request.traceParent,
    }),
    ...fate,
  };
}
