import { RUN_MISSED_EVENT, type RunEventPublisher } from '../../events/index.js';
import type { Schedule, ScheduleDefinition } from '../../schedules/index.js';
import { insertRuns, missedRun, type NewRun } from '../../storage/index.js';
import type { MutationScope } from './mutations.js';
import { changeSchedule } from './schedule-change.js';

/** What came of another definition. */
export interface Replacement {
  readonly schedule: Schedule;
  /** What the old timing left behind, where that was not in the journal already. */
  readonly missed?: NewRun;
}

/**
 * Gives a schedule that is locked another definition, and journals the occurrences that were due by the old timing. They
 * are announced by `announceMissed`, after the commit.
 *
 * @throws ScheduleInvalidError when it would be enabled without a further occurrence; ScheduleExistsError for its name.
 */
export async function replaceSchedule(
  scope: Omit<MutationScope, 'expectedVersion'>,
  current: Schedule,
  definition: ScheduleDefinition,
): Promise<Replacement> {
  const { storage, executor, nowUnixMs } = scope;
  const change = changeSchedule(current, definition, scope);
  const left =
    change.missed === undefined ? [] : [missedRun(current, change.missed, 'timing_changed', nowUnixMs)];
  const journaled = await insertRuns(executor, storage.schema, left);
  const missed = left.find((run) => journaled.has(run.id));
  const schedule = await storage.schedules.replace(executor, current.id, definition, change.position);
  return { schedule, ...(missed === undefined ? {} : { missed }) };
}

/** Tells the listeners of this process what was left behind. To be called after the commit. */
export function announceMissed(events: RunEventPublisher, { missed }: Pick<Replacement, 'missed'>): void {
  if (missed !== undefined) {
    events.publish(RUN_MISSED_EVENT, missed, { missedCount: missed.missedCount });
  }
}
