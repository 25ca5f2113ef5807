import { checkJournal, type JournalCheck } from './check-journal.js';
import { type Journal, type JournaledRun, readJournal } from './read-journal.js';

export interface JournalReport {
  readonly lines: readonly string[];
  /** Whether every occurrence is accounted for exactly once. */
  readonly isSound: boolean;
}

/** What the journal of a database holds, for people. */
export async function reportJournal(databaseUrl: string): Promise<JournalReport> {
  const journal = await readJournal(databaseUrl);
  if (journal === undefined || journal.runs.length === 0) {
    return { lines: ['The journal is empty: nothing has run on this database yet.'], isSound: true };
  }
  const check = checkJournal(journal);
  return {
    lines: [...summary(journal), ...verdict(check)],
    isSound: check.faults.length === 0,
  };
}

function summary({ schedules, runs }: Journal): string[] {
  const latest = new Map(runs.map((run) => [run.scheduleId, run]));
  const width = Math.max(...schedules.map(({ name }) => name.length));
  return [
    `The journal has ${runs.length} runs since ${isoTime(runs[0]?.scheduledAt)}: ${countsByStatus(runs)}.`,
    ...schedules.map(({ id, name }) => `  ${name.padEnd(width)}  ${describeLast(latest.get(id))}`),
  ];
}

function countsByStatus(runs: readonly JournaledRun[]): string {
  const counts = new Map<string, number>();
  for (const { status } of runs) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

function describeLast(run: JournaledRun | undefined): string {
  return run === undefined ? 'has not run yet' : `last ${isoTime(run.scheduledAt)} ${run.status}`;
}

function verdict({ claimed, missed, faults }: JournalCheck): string[] {
  return faults.length === 0
    ? [
        `Nothing lost, nothing doubled: ${claimed} occurrences claimed once each, ${missed} journaled as missed.`,
      ]
    : [`The journal does not add up:`, ...faults.map((fault) => `  ${fault}`)];
}

function isoTime(unixMs: number | undefined): string {
  return unixMs === undefined ? '' : new Date(unixMs).toISOString();
}
