import type { CompleteRetryPolicy, JsonValue } from '../../schedules/index.js';
import { paramsOf, type JournaledRun } from './claim-journal.js';
import type { NewRun } from '../runs/new-runs.js';
import type { TakenOverRun } from '../runs/takeover.js';

/** A run that this node holds now, and must start at once. */
export interface ClaimedRun {
  readonly run: NewRun;
  readonly params: JsonValue | undefined;
  /** The schedule's own bound in ms; 0 inherits the module's. */
  readonly timeoutMs: number;
  readonly retry: CompleteRetryPolicy | undefined;
  /** Larger than that of every earlier run of the schedule. */
  readonly fence: number;
}

/** What one claim transaction did. */
export interface ClaimResult {
  readonly claimed: readonly ClaimedRun[];
  /** Journaled without being executed: missed, skipped, and failed for a parked schedule. */
  readonly journaled: readonly NewRun[];
  readonly takenOver: readonly TakenOverRun[];
  /** Fires dropped because their occurrence is in the journal already. */
  readonly refused: readonly NewRun[];
  /** What PostgreSQL calls the transaction; undefined where nothing was journaled. */
  readonly transactionId: string | undefined;
}

/** What a claim did that found nothing to do. */
export const NOTHING_CLAIMED: ClaimResult = {
  claimed: [],
  journaled: [],
  takenOver: [],
  refused: [],
  transactionId: undefined,
};

/** Every run that the claim wrote. */
export function journaledIds({ claimed, journaled }: ClaimResult): string[] {
  return [...claimed.map(({ run }) => run.id), ...journaled.map(({ id }) => id)];
}

/** Tells apart what a claim was to journal, by what became of it: the fences are those of the runs that the journal took. */
export function sortOut(
  journaled: readonly JournaledRun[],
  fences: ReadonlyMap<string, number>,
): Pick<ClaimResult, 'claimed' | 'journaled' | 'refused'> {
  const sorted = { claimed: [] as ClaimedRun[], journaled: [] as NewRun[], refused: [] as NewRun[] };
  for (const entry of journaled) {
    const { run, schedule } = entry;
    const fence = fences.get(run.id);
    if (fence === undefined) {
      sorted.refused.push(run);
    } else if (run.status === 'running') {
      const { timeoutMs, retry } = schedule;
      sorted.claimed.push({ run, params: paramsOf(entry), timeoutMs, retry, fence });
    } else {
      sorted.journaled.push(run);
    }
  }
  return sorted;
}
