import type { ConcurrencyPolicy, MisfirePolicy } from '../../lib/schedules/index.js';

/** Each of the engine's guards, by what it does. Switched off, it is a mutation of the model. */
export interface Guards {
  /** Under the lock, the cursor is looked at again. */
  readonly rereadsCursor: boolean;
  /** Under the lock, the pause is looked at again. */
  readonly rereadsPause: boolean;
  /** The journal takes one record for each occurrence. */
  readonly fencesOccurrences: boolean;
  /** A late claim looks up how far the journal has come. */
  readonly looksUpJournal: boolean;
  /** A run is abandoned and its recovery requested in one transaction. */
  readonly takesOverAtomically: boolean;
  /** An outcome is written only where the run is still running. */
  readonly comparesOutcomes: boolean;
  /** A node declares others dead only after a vigil. */
  readonly keepsVigil: boolean;
  /** The server ends a transaction whose client is silent. */
  readonly boundsTransactions: boolean;
}

/** What happens to the machines: a process dies, or stands still; the database is gone, or its backup is restored. */
export type Fault = 'crash' | 'freeze' | 'outage' | 'restoration';

/** What operators do; each at most once. */
export type Operation = 'pause' | 'manual fire' | 'deletion';

/** What is explored. */
export interface World {
  readonly misfirePolicy: MisfirePolicy;
  readonly concurrencyPolicy: Extract<ConcurrencyPolicy, 'allow' | 'forbid'>;
  readonly faults: readonly Fault[];
  /** How many faults there are at most, so that the states are finitely many. */
  readonly maxFaults: number;
  readonly operations: readonly Operation[];
  readonly guards: Guards;
}

export const EVERY_GUARD: Guards = {
  rereadsCursor: true,
  rereadsPause: true,
  fencesOccurrences: true,
  looksUpJournal: true,
  takesOverAtomically: true,
  comparesOutcomes: true,
  keepsVigil: true,
  boundsTransactions: true,
};
