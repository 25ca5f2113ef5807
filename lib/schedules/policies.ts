import { everyWordOf } from '../every-word-of.js';

/**
 * What happens to occurrences that are later than `misfireThreshold` when a node gets to them: after downtime, a
 * pause, or with no free slot.
 *
 * - `fire_now` (default): one catch-up fire, for the latest due occurrence; the older ones are journaled as missed.
 * - `skip`: nothing fires; all of them are journaled as missed.
 * - `backfill`: each of them fires, oldest first; with a `backfillLimit` only that many of the most recent, and the older
 *   ones are journaled as missed.
 */
export type MisfirePolicy = 'fire_now' | 'skip' | 'backfill';

/** Every misfire policy, the default first. */
export const MISFIRE_POLICIES = everyWordOf<MisfirePolicy>({ fire_now: true, skip: true, backfill: true });

/**
 * Whether runs of one schedule may overlap.
 *
 * - `forbid` (default): a fire that would overlap a running run is journaled `skipped`.
 * - `allow`: they may.
 * - `queue`: one fire waits for the running run to end; while it waits, later ones are journaled `skipped`.
 * - `replace`: the running run is aborted and journaled `canceled`, then the fire runs.
 *
 * Whatever repeats or makes up for work that is owed (a recovery, a retry, a backfill) waits instead, except under
 * `allow`.
 */
export type ConcurrencyPolicy = 'forbid' | 'allow' | 'queue' | 'replace';

/** Every concurrency policy, the default first. */
export const CONCURRENCY_POLICIES = everyWordOf<ConcurrencyPolicy>({
  forbid: true,
  allow: true,
  queue: true,
  replace: true,
});
