import type { Run } from '../schedules/index.js';
import type { RunEvent } from './run-events.js';

/** The fields that every event has of its run, as plain data. */
export type RunFacts = Omit<RunEvent, 'store'>;

/** What every event tells about a run, taken from its journal record. */
export function runFacts(run: Run): RunFacts {
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
