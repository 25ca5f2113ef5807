import { RunNotFoundError } from '../../schedules/index.js';
import { isUuid, type Executor, type JournaledRunDetail, type Storage } from '../../storage/index.js';

/** Finds a run, with its own params. @throws RunNotFoundError (2001), also for an id that no run can have. */
export async function findExistingRun(
  storage: Storage,
  executor: Executor,
  runId: string,
): Promise<JournaledRunDetail> {
  const found = isUuid(runId) ? await storage.journal.find(executor, runId) : undefined;
  if (found === undefined) {
    throw new RunNotFoundError(runId);
  }
  return found;
}
