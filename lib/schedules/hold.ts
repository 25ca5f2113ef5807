/**
 * A switch beside the pauses of schedules: while a job, or the whole store, is held, nothing of it is claimed, retries and
 * recoveries included. Occurrences that become due meanwhile are the misfire policy's when it is released.
 */
export interface Hold {
  /** The job that is held; absent where the whole store is. */
  readonly jobName?: string;
  /** Why, in the operator's words. */
  readonly note?: string;
  /** When the hold ends by itself, in Unix ms; absent where it does not. */
  readonly untilUnixMs?: number;
  /** Since when, in Unix ms. */
  readonly heldAtUnixMs: number;
  /** The id of the actor who holds it. */
  readonly heldBy: string;
}
