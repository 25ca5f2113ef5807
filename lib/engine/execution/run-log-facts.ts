import type { NewRun } from '../../storage/index.js';
import type { LogFacts } from '../../store-logger.js';

type LoggedRun = Pick<NewRun, 'id' | 'scheduleName' | 'jobName' | 'attempt'>;

/** What a line in the log tells of a run: which it is, and nothing of its params. */
export function runLogFacts({ id, scheduleName, jobName, attempt }: LoggedRun): LogFacts {
  return { runId: id, scheduleName, jobName, attempt };
}
