import type { Run } from 'nestjs-cron-store';
import type { FailureSummary, JournalDigest } from './journal-digest.entity.js';

/** What runs amount to. */
export function summarize(
  runs: readonly Run[],
): Pick<JournalDigest, 'runsByStatus' | 'missedOccurrences' | 'failures'> {
  const runsByStatus: JournalDigest['runsByStatus'] = {};
  const failures = new Map<string, FailureSummary>();
  let missedOccurrences = 0;
  for (const { status, missedCount, scheduleName, error } of runs) {
    runsByStatus[status] = (runsByStatus[status] ?? 0) + 1;
    missedOccurrences += missedCount;
    if (status === 'failed' || status === 'abandoned') {
      const { runs: before = 0, lastError = null } = failures.get(scheduleName) ?? {};
      failures.set(scheduleName, { scheduleName, runs: before + 1, lastError: lastError ?? error ?? null });
    }
  }
  return { runsByStatus, missedOccurrences, failures: [...failures.values()] };
}
