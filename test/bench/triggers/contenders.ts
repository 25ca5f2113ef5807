import { CronTime } from 'cron';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { parseExpression } from '../../../lib/triggers/expression/parse-expression.js';
import { occurrencesOf } from '../../../lib/triggers/index.js';
import { ZonedOccurrences } from '../../../lib/triggers/occurrences/zoned-occurrences.js';
import { requireZone } from '../../../lib/triggers/zones/find-zone.js';

/** Answers with the next fire after an instant; both in Unix milliseconds. */
export type Next = (after: number) => number;

/** A library in the comparison. */
export interface Contender {
  readonly name: 'ours' | 'cron-parser' | 'croner' | 'cron';
  /** The expression is read now, the search is what is measured. */
  readonly parsedOnce: (expr: string, timezone: string) => Next;
  /** The expression is read again for every answer. Zones stay remembered, as in every contender. */
  readonly parsedEachTime: (expr: string, timezone: string) => Next;
}

const ours: Contender = {
  name: 'ours',
  parsedOnce: (expr, timezone) => {
    const occurrences = occurrencesOf({ kind: 'cron', expr, timezone }, {});
    return (after) => occurrences.next(after) ?? Number.NaN;
  },
  parsedEachTime: (expr, timezone) => (after) => {
    const expression = parseExpression(expr);
    if (expression.kind === 'every') return Number.NaN;
    const rules = { onlyFresh: expression.restrictsHour, afterGaps: false };
    return new ZonedOccurrences(expression.pattern, requireZone(timezone), rules).next(after) ?? Number.NaN;
  },
};

const cronParser: Contender = {
  name: 'cron-parser',
  parsedOnce: (expr, tz) => {
    const expression = CronExpressionParser.parse(expr, { tz });
    return (after) => {
      expression.reset(new Date(after));
      return expression.next().getTime();
    };
  },
  parsedEachTime: (expr, tz) => (after) =>
    CronExpressionParser.parse(expr, { tz, currentDate: new Date(after) })
      .next()
      .getTime(),
};

const croner: Contender = {
  name: 'croner',
  parsedOnce: (expr, timezone) => {
    const job = new Cron(expr, { timezone, paused: true });
    return (after) => job.nextRun(new Date(after))?.getTime() ?? Number.NaN;
  },
  parsedEachTime: (expr, timezone) => (after) =>
    new Cron(expr, { timezone, paused: true }).nextRun(new Date(after))?.getTime() ?? Number.NaN,
};

const cron: Contender = {
  name: 'cron',
  parsedOnce: (expr, timezone) => {
    const time = new CronTime(expr, timezone);
    return (after) => time.getNextDateFrom(new Date(after), timezone).toMillis();
  },
  parsedEachTime: (expr, timezone) => (after) =>
    new CronTime(expr, timezone).getNextDateFrom(new Date(after), timezone).toMillis(),
};

export const CONTENDERS: readonly Contender[] = [ours, cronParser, croner, cron];
