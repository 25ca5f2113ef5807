import type { Run } from '../schedules/index.js';
import type { RunEvent } from './run-events.js';

/** A run as far as events tell of it. */
export type ToldRun = Pick<
  Run,
  'id' | 'scheduleId' | 'scheduleName' | 'jobName' | 'origin' | 'attempt' | 'scheduledAtUnixMs'
>;

/** What every event tells about a run, as plain data. */
export function runFacts(run: ToldRun): Omit<RunEvent, 'store'> {
  return {
    runId: run.id,
    scheduleId: run.scheduleId,
    scheduleName: run.scheduleName,
    jobName: run.jobName,
    origin: run.origin,
    attempt: run.attempt,
    scheduledAtUnixMs: run.scheduledAtUnixMs,
  };
}
