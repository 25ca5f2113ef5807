import type { CalendarExpression } from '../expression/cron-expression.js';
import { expressionOf } from '../expression/parse-expression.js';
import { normalizeTrigger } from '../normalize-trigger.js';
import { type CronTrigger, DEFAULT_TIMEZONE, type Trigger } from '../trigger.js';
import { joinAlternatives } from './alternatives.js';
import { type DescriptionLocale, descriptionLocale } from './description-locale.js';
import { describableExpressions } from './describable-expressions.js';

/**
 * What a person would say: `At 02:00, Asia/Shanghai`. Weekdays are named, never numbered, and where a day matches by
 * its number *or* by its weekday the description says so. Times of calendar expressions are told in their own zone,
 * that of a single fire in UTC.
 *
 * @param options.locale BCP 47 tag; default `en`, which also serves where there is no translation
 * @throws TriggerInvalidError for a trigger that could not be stored
 */
export function describeTrigger(
  trigger: Trigger,
  options: { readonly locale?: string | undefined } = {},
): string {
  const locale = descriptionLocale(options.locale);
  const normalized = normalizeTrigger(trigger);
  if (normalized.kind === 'cron') return describeCron(normalized, locale);
  return normalized.kind === 'interval'
    ? describePeriod(normalized.everyMs, locale)
    : describeInstant(normalized.atUnixMs, locale);
}

function describeCron({ expr, timezone = DEFAULT_TIMEZONE }: CronTrigger, locale: DescriptionLocale): string {
  const expression = expressionOf(expr);
  if (expression.kind === 'every') return describePeriod(expression.everyMs, locale);
  return `${describeCalendar(expression, locale)}, ${timezone}`;
}

function describeCalendar(expression: CalendarExpression, locale: DescriptionLocale): string {
  const sentences = describableExpressions(expression.fields).map((fields) => locale.describe(fields));
  return joinAlternatives(sentences, locale.tag);
}

function describePeriod(everyMs: number, { tag, words }: DescriptionLocale): string {
  const phrase = periodPhrase(everyMs, tag, words);
  return phrase.charAt(0).toLocaleUpperCase(tag) + phrase.slice(1);
}

/** In the largest unit, of those every translation has, that divides the period. */
function periodPhrase(everyMs: number, tag: string, words: DescriptionLocale['words']): string {
  const inUnit = (unitMs: number): string => new Intl.NumberFormat(tag).format(everyMs / unitMs);
  if (everyMs === 3_600_000) return words.everyHour();
  if (everyMs % 3_600_000 === 0)
    return words.everyX0Hours(inUnit(3_600_000)).replace('%s', inUnit(3_600_000));
  if (everyMs === 60_000) return words.everyMinute();
  if (everyMs % 60_000 === 0) return words.everyX0Minutes(inUnit(60_000)).replace('%s', inUnit(60_000));
  if (everyMs === 1000) return words.everySecond();
  return words.everyX0Seconds(inUnit(1000)).replace('%s', inUnit(1000));
}

function describeInstant(atUnixMs: number, { tag }: DescriptionLocale): string {
  return new Intl.DateTimeFormat(tag, {
    dateStyle: 'long',
    timeStyle: 'long',
    hourCycle: 'h23',
    timeZone: 'UTC',
  }).format(atUnixMs);
}
