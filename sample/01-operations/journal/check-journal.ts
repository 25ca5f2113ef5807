import { countFires } from 'nestjs-cron-store';
import type { Journal, JournaledRun, JournaledSchedule } from './read-journal.js';

/** What the journal proves. */
export interface JournalCheck {
  /** Occurrences that a node has claimed. */
  readonly claimed: number;
  /** Occurrences of which the journal says that they never run. */
  readonly missed: number;
  /** Each a sentence; none when every occurrence is accounted for exactly once. */
  readonly faults: readonly string[];
}

/**
 * Checks that between the first occurrence in the journal and the next one to come, every occurrence of every schedule
 * is in the journal exactly once, as claimed or as missed, and that none of them succeeded twice.
 *
 * It counts by the triggers as they are now: an occurrence of a trigger that was changed since is reported as a fault.
 */
export function checkJournal({ schedules, runs }: Journal): JournalCheck {
  const occurrences = runs.filter((run) => run.origin === 'schedule');
  return {
    claimed: occurrences.filter((run) => run.status !== 'missed').length,
    missed: occurrences.reduce((sum, run) => sum + run.missedCount, 0),
    faults: [
      ...schedules.flatMap((schedule) =>
        coverageFaults(
          schedule,
          occurrences.filter((run) => run.scheduleId === schedule.id),
        ),
      ),
      ...repeatedSuccesses(runs),
    ],
  };
}

/** Walks along the occurrences: from each one in the journal to the next, as many as it stands for must have passed. */
function coverageFaults(schedule: JournaledSchedule, occurrences: readonly JournaledRun[]): string[] {
  const { trigger, anchor, startsAt, endsAt, nextFireAt } = schedule;
  const window = { anchor, startsAt: startsAt ?? undefined, endsAt: endsAt ?? undefined };
  return occurrences.flatMap((run, index) => {
    const next = occurrences[index + 1]?.scheduledAt ?? nextFireAt;
    if (next === null) {
      return [];
    }
    const passed = countFires(trigger, { ...window, after: run.scheduledAt - 1, until: next - 1 });
    const accounted = run.status === 'missed' ? run.missedCount : 1;
    return passed === accounted ? [] : [coverageFault(run, passed - accounted)];
  });
}

function coverageFault({ scheduleName, scheduledAt }: JournaledRun, lost: number): string {
  const since = new Date(scheduledAt).toISOString();
  return lost > 0
    ? `${scheduleName}: ${lost} occurrence(s) after ${since} are not in the journal.`
    : `${scheduleName}: ${-lost} occurrence(s) from ${since} on are in the journal twice.`;
}

/** All attempts of an occurrence, and of a manual fire, share a key, and only the last of them can succeed. */
function repeatedSuccesses(runs: readonly JournaledRun[]): string[] {
  const succeeded = new Set<string>();
  return runs.flatMap(({ status, idempotencyKey, scheduleName, scheduledAt }) => {
    if (status !== 'succeeded') {
      return [];
    }
    const isRepeated = succeeded.has(idempotencyKey);
    succeeded.add(idempotencyKey);
    return isRepeated ? [`${scheduleName}: ${new Date(scheduledAt).toISOString()} succeeded twice.`] : [];
  });
}
