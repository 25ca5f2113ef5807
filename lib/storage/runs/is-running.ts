/**
 * The condition that a run, looked up by its id, is running.
 *
 * Not `status = 'running'`, which is the predicate of crn_run_running_idx: once the table was analyzed the planner
 * expects that index to hold one row, and reads all the running runs anew for each id. Held by outcome-plans.spec.ts.
 */
export function isRunning(run: string): string {
  return `coalesce(${run}.status, '') = 'running'`;
}
