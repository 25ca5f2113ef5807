import { quote } from '../quote.js';
import type { CalendarExpression } from './expression/cron-expression.js';
import { expressionOf } from './expression/parse-expression.js';
import { requireInterval } from './interval.validation.js';
import { FIRST_INSTANT, LAST_INSTANT } from './occurrences/instant-range.js';
import { show } from './show.js';
import {
  type CronTrigger,
  DEFAULT_TIMEZONE,
  type DstGap,
  type IntervalTrigger,
  type OnceTrigger,
  type Trigger,
} from './trigger.js';
import { readFields } from './trigger-fields.js';
import { TriggerInvalidError } from './trigger-invalid.error.js';
import { requireZoneName } from './zones/find-zone.js';

/**
 * Checks a trigger, whoever made it.
 *
 * @throws TriggerInvalidError with the `reason`, and a message that says what to change
 */
export function validateTrigger(trigger: unknown): void {
  normalizeTrigger(trigger);
}

/**
 * The form of a trigger that is stored: a zone prefix is moved into `timezone`, zone and expression are spelled
 * canonically, `timezone` is set for every expression but `@every`, and a `dstGap` that only says the default is left
 * out. Normalizing it again changes nothing.
 *
 * @throws TriggerInvalidError when the trigger is invalid
 */
export function normalizeTrigger(trigger: unknown): Trigger {
  const { kind, values } = readFields(trigger);
  if (kind === 'cron') return normalizeCron(values.get('expr'), values.get('timezone'), values.get('dstGap'));
  return kind === 'interval'
    ? normalizeInterval(values.get('everyMs'))
    : normalizeOnce(values.get('atUnixMs'));
}

/** {@link normalizeTrigger} for the fields of a cron trigger. */
export function normalizeCron(expr: unknown, timezone: unknown, dstGap: unknown): CronTrigger {
  const expression = expressionOf(requireExpr(expr));
  const zone = requireZoneText(timezone);
  const gap = requireDstGap(dstGap);
  if (expression.kind === 'every') {
    if (zone !== '' && zone.toUpperCase() !== DEFAULT_TIMEZONE)
      throw everyConflict(expression.text, 'timezone', zone);
    if (gap !== 'skip') throw everyConflict(expression.text, 'dstGap', gap);
    return { kind: 'cron', expr: expression.text };
  }
  const trigger = { kind: 'cron', expr: expression.text, timezone: zoneOf(expression, zone) } as const;
  return gap === 'skip' ? trigger : { ...trigger, dstGap: gap };
}

/** {@link normalizeTrigger} for the field of an interval trigger. */
export function normalizeInterval(everyMs: unknown): IntervalTrigger {
  return { kind: 'interval', everyMs: requireInterval(everyMs) };
}

/** {@link normalizeTrigger} for the field of a once trigger. */
export function normalizeOnce(atUnixMs: unknown): OnceTrigger {
  if (typeof atUnixMs === 'number' && Number.isInteger(atUnixMs)) {
    // Adding zero turns a negative zero, which JSON does not keep, into zero.
    if (atUnixMs >= FIRST_INSTANT && atUnixMs <= LAST_INSTANT)
      return { kind: 'once', atUnixMs: atUnixMs + 0 };
  }
  throw new TriggerInvalidError(
    'fire_time_required',
    `The atUnixMs of a once trigger is ${show(atUnixMs)}; write its single fire time as whole Unix milliseconds within the range of Date.`,
  );
}

/** The expression of a cron trigger, which must at least be text. */
export function requireExpr(expr: unknown): string {
  if (typeof expr === 'string') return expr;
  throw new TriggerInvalidError(
    expr === undefined || expr === null ? 'expr_required' : 'expr_invalid',
    `The expr of a cron trigger is ${show(expr)}; write a text such as "0 2 * * *".`,
  );
}

function requireZoneText(timezone: unknown): string {
  if (timezone === undefined) return '';
  if (typeof timezone === 'string') return timezone.trim();
  throw new TriggerInvalidError(
    'timezone_invalid',
    `The timezone is ${show(timezone)}; write an IANA name such as "Europe/Berlin", or leave it out for UTC.`,
  );
}

function requireDstGap(dstGap: unknown): DstGap {
  if (dstGap === undefined || dstGap === 'skip') return 'skip';
  if (dstGap === 'run_after') return dstGap;
  throw new TriggerInvalidError(
    'fields_conflict',
    `The dstGap is ${show(dstGap)}; write "skip" or "run_after", or leave it out for "skip".`,
  );
}

function zoneOf({ zonePrefix }: CalendarExpression, timezone: string): string {
  const zone = timezone === '' ? undefined : requireZoneName(timezone);
  const prefix = zonePrefix === undefined ? undefined : requireZoneName(zonePrefix);
  if (zone !== undefined && prefix !== undefined && zone !== prefix) {
    throw new TriggerInvalidError(
      'fields_conflict',
      `The prefix of the cron expression says ${quote(prefix)} and the timezone ${quote(zone)}: remove one of them.`,
    );
  }
  return zone ?? prefix ?? DEFAULT_TIMEZONE;
}

function everyConflict(expr: string, field: string, value: string): TriggerInvalidError {
  return new TriggerInvalidError(
    'fields_conflict',
    `The ${field} is ${quote(value)}, but ${quote(expr)} is aligned to the epoch in UTC and takes none: remove it.`,
  );
}
