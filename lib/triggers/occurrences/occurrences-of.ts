import { expressionOf } from '../expression/parse-expression.js';
import { requireInterval } from '../interval.validation.js';
import { normalizeOnce, requireExpr } from '../normalize-trigger.js';
import { type CronTrigger, DEFAULT_TIMEZONE, type Trigger } from '../trigger.js';
import { requireZone } from '../zones/find-zone.js';
import { FixedRateOccurrences } from './fixed-rate-occurrences.js';
import type { Occurrences } from './occurrences.js';
import { SingleOccurrence } from './single-occurrence.js';
import { WindowedOccurrences } from './windowed-occurrences.js';
import { ZonedOccurrences } from './zoned-occurrences.js';

/** What a schedule adds to its trigger. Instants in Unix milliseconds. */
export interface OccurrenceWindow {
  /** First instant at which it may fire, inclusive. */
  readonly startsAt?: number | undefined;
  /** Last instant at which it may fire, inclusive. */
  readonly endsAt?: number | undefined;
  /**
   * An instant the phase of an interval is counted from, in both directions: it bounds nothing. Default `startsAt`,
   * else the epoch.
   */
  readonly anchor?: number | undefined;
}

/**
 * The occurrences of a trigger in a window. Expressions and zones are remembered (a bounded number of them), so that
 * asking again for a stored trigger costs a look-up.
 *
 * @throws TriggerInvalidError when the trigger cannot be evaluated, as that of a corrupted row cannot
 */
export function occurrencesOf(trigger: Trigger, window: OccurrenceWindow): Occurrences {
  const occurrences = unboundedOccurrencesOf(trigger, window.anchor ?? window.startsAt ?? 0);
  if (window.startsAt === undefined && window.endsAt === undefined) return occurrences;
  return new WindowedOccurrences(occurrences, window.startsAt ?? -Infinity, window.endsAt ?? Infinity);
}

function unboundedOccurrencesOf(trigger: Trigger, anchor: number): Occurrences {
  if (trigger.kind === 'cron') return cronOccurrencesOf(trigger);
  return trigger.kind === 'interval'
    ? new FixedRateOccurrences(requireInterval(trigger.everyMs), anchor)
    : new SingleOccurrence(normalizeOnce(trigger.atUnixMs).atUnixMs);
}

function cronOccurrencesOf({ expr, timezone, dstGap }: CronTrigger): Occurrences {
  const expression = expressionOf(requireExpr(expr));
  if (expression.kind === 'every') return new FixedRateOccurrences(expression.everyMs, 0);
  return new ZonedOccurrences(
    expression.pattern,
    requireZone(expression.zonePrefix ?? (timezone || DEFAULT_TIMEZONE)),
    {
      onlyFresh: expression.restrictsHour,
      afterGaps: dstGap === 'run_after' && expression.restrictsHour,
    },
  );
}
