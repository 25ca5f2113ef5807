/**
 * What happens to occurrences that are later than `misfireThreshold` when a node gets to them: after downtime, a
 * pause, or with no free slot.
 *
 * - `fire_now` (default): one catch-up fire, for the latest due occurrence; the older ones are journaled as missed.
 * - `skip`: nothing fires; all of them are journaled as missed.
 */
export type MisfirePolicy = 'fire_now' | 'skip';

/** Every misfire policy, the default first. */
export const MISFIRE_POLICIES: readonly MisfirePolicy[] = ['fire_now', 'skip'];

/**
 * Whether runs of one schedule may overlap.
 *
 * - `forbid` (default): a fire that would overlap a running run is journaled `skipped`; a recovery waits instead.
 * - `allow`: they may.
 */
export type ConcurrencyPolicy = 'forbid' | 'allow';

/** Every concurrency policy, the default first. */
export const CONCURRENCY_POLICIES: readonly ConcurrencyPolicy[] = ['forbid', 'allow'];
