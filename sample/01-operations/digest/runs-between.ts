import type { Run, ScheduleManager } from 'nestjs-cron-store';

/** The most runs that one call lists. */
const PAGE_SIZE = 1_000;

/** Every run with a logical time from `since` to `until` (both inclusive, Unix ms), however many there are. */
export async function runsBetween(manager: ScheduleManager, since: number, until: number): Promise<Run[]> {
  const runs = await manager.listRuns({ since, until, limit: PAGE_SIZE });
  if (runs.length < PAGE_SIZE || since === until) {
    return runs;
  }
  // A full page may have been cut off: two halves of the time are asked for instead.
  const middle = Math.floor((since + until) / 2);
  return [...(await runsBetween(manager, since, middle)), ...(await runsBetween(manager, middle + 1, until))];
}
