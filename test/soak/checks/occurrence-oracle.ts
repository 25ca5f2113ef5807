import { Cron } from 'croner';
import type { ScheduleRow } from './evidence.js';

/** When a schedule's occurrences are, found out without the code that is checked. */
export type OccurrenceOracle = (afterUnixMs: number) => number | undefined;

/** The occurrences of a row's timing, strictly after an instant: by croner, and by arithmetic where there is no calendar. */
export function occurrenceOracle(row: ScheduleRow): OccurrenceOracle {
  const next = unboundedOracle(row);
  const startsAt = row.starts_at_unix_ms ?? -Infinity;
  const endsAt = row.ends_at_unix_ms ?? Infinity;
  return (afterUnixMs) => {
    const found = next(Math.max(afterUnixMs, startsAt - 1));
    return found === undefined || found > endsAt ? undefined : found;
  };
}

function unboundedOracle(row: ScheduleRow): OccurrenceOracle {
  const { kind, every_ms: everyMs, fire_at_unix_ms: fireAtUnixMs, anchor_at_unix_ms: anchor } = row;
  switch (kind) {
    case 'interval':
      return fixedRate(everyMs ?? Number.NaN, anchor);
    case 'once':
      return (after) => (fireAtUnixMs !== null && fireAtUnixMs > after ? fireAtUnixMs : undefined);
    case 'cron': {
      const expr = row.expr ?? '';
      const rate = /^@every[ :](\d+)(s?)$/.exec(expr);
      if (rate !== null) {
        return fixedRate(Number(rate[1]) * (rate[2] === 's' ? 1_000 : 1), 0);
      }
      const cron = new Cron(expr, { timezone: row.timezone ?? 'UTC' });
      return (after) => cron.nextRun(new Date(after))?.getTime();
    }
  }
}

function fixedRate(everyMs: number, anchor: number): OccurrenceOracle {
  return (after) => anchor + (Math.floor((after - anchor) / everyMs) + 1) * everyMs;
}
