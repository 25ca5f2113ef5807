import { requireIntervalText } from './interval.validation.js';
import { normalizeCron, normalizeInterval, normalizeOnce } from './normalize-trigger.js';
import type { CronTrigger, DstGap, IntervalTrigger, OnceTrigger } from './trigger.js';

/**
 * A cron trigger: `cron('0 2 * * *', 'Asia/Shanghai')`.
 *
 * @param expr five fields, six with leading seconds, a descriptor such as `@daily`, or `@every 90m`
 * @param timezone IANA name; absent or empty is UTC, never the zone of the process
 * @param options.dstGap what happens to a local time that a change of the zone's offset skips; default `skip`
 * @throws TriggerInvalidError when it could not be stored
 */
export function cron(
  expr: string,
  timezone?: string,
  options?: { readonly dstGap?: DstGap | undefined },
): CronTrigger {
  return normalizeCron(expr, timezone, options?.dstGap);
}

/**
 * An interval trigger: `every(90_000)` or `every('90s')`.
 *
 * @param duration whole milliseconds or Go-style text, at least a second
 * @throws TriggerInvalidError when it could not be stored
 */
export function every(duration: number | string): IntervalTrigger {
  return normalizeInterval(typeof duration === 'string' ? requireIntervalText(duration) : duration);
}

/**
 * A trigger that fires once: `once(new Date('2030-01-01T00:00:00Z'))`.
 *
 * @param at a `Date` or Unix milliseconds
 * @throws TriggerInvalidError when it could not be stored
 */
export function once(at: Date | number): OnceTrigger {
  return normalizeOnce(at instanceof Date ? at.getTime() : at);
}
