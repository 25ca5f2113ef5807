import { occurrenceKey, type ClaimStep, type MissedGap, type Schedule } from '../schedules/index.js';
import { mintId } from './identifiers.js';
import type { NewRun } from './new-runs.js';

/** Who claims, and when. */
export interface ClaimContext {
  readonly nodeId: string;
  readonly nowUnixMs: number;
}

/** The journal records of one step. */
export interface JournaledStep {
  readonly schedule: Schedule;
  readonly runs: readonly NewRun[];
}

/** Who is named as the origin of what nobody asked for. */
const SYSTEM_ACTOR = 'system';

/** Writes down what a step of a claim plan does, as records of the journal. */
export function journalClaim(step: ClaimStep, context: ClaimContext): JournaledStep {
  return { schedule: step.schedule, runs: runsOf(step, context) };
}

/** The record of occurrences that never run. */
export function missedRun(
  schedule: Pick<Schedule, 'id' | 'name' | 'jobName'>,
  gap: MissedGap,
  nowUnixMs: number,
): NewRun {
  return {
    ...regularRun(schedule, gap.firstAtUnixMs, nowUnixMs),
    status: 'missed',
    missedCount: gap.count,
  };
}

function runsOf(step: ClaimStep, context: ClaimContext): NewRun[] {
  const { nowUnixMs } = context;
  switch (step.kind) {
    case 'advance': {
      const { fireAtUnixMs, missed } = step.decision;
      return [
        ...(missed === undefined ? [] : [missedRun(step.schedule, missed, nowUnixMs)]),
        ...(fireAtUnixMs === undefined
          ? []
          : [withOverlap(regularRun(step.schedule, fireAtUnixMs, nowUnixMs), step.overlap, context)]),
      ];
    }
    case 'request':
      return [withOverlap(requestedRun(step, nowUnixMs), step.overlap, context)];
    case 'park':
      return [
        {
          ...regularRun(step.schedule, step.cursorUnixMs, nowUnixMs),
          status: 'failed',
          nodeId: context.nodeId,
          error: `The schedule cannot be evaluated and was parked: ${step.reason}`,
        },
      ];
  }
}

function withOverlap(run: NewRun, overlap: 'run' | 'skip', { nodeId, nowUnixMs }: ClaimContext): NewRun {
  return overlap === 'skip'
    ? { ...run, status: 'skipped' }
    : { ...run, status: 'running', nodeId, heartbeatAtUnixMs: nowUnixMs };
}

function regularRun(
  schedule: Pick<Schedule, 'id' | 'name' | 'jobName'>,
  scheduledAtUnixMs: number,
  nowUnixMs: number,
): NewRun {
  return {
    id: mintId(nowUnixMs),
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    jobName: schedule.jobName,
    origin: 'schedule',
    scheduledAtUnixMs,
    claimedAtUnixMs: nowUnixMs,
    status: 'running',
    missedCount: 0,
    attempt: 1,
    recoveries: 0,
    idempotencyKey: occurrenceKey(schedule.id, scheduledAtUnixMs),
    createdAtUnixMs: nowUnixMs,
    createdBy: SYSTEM_ACTOR,
  };
}

function requestedRun(
  { schedule, request }: Extract<ClaimStep, { kind: 'request' }>,
  nowUnixMs: number,
): NewRun {
  return {
    ...regularRun(schedule, request.scheduledAtUnixMs, nowUnixMs),
    origin: request.origin,
    attempt: request.attempt,
    recoveries: request.recoveries,
    ...(request.recoversRunId === undefined ? {} : { recoversRunId: request.recoversRunId }),
    idempotencyKey: request.idempotencyKey,
    createdBy: request.createdBy,
  };
}
