import { expressionOf } from '../../../triggers/expression/parse-expression.js';
import { nextFires } from '../../../triggers/fires.js';
import type { CronTrigger, Trigger } from '../../../triggers/trigger.js';
import { storeNow } from '../state/store-time.js';
import { zonedText } from './texts.js';

/** What is easily overlooked about a trigger. */
export interface TriggerHints {
  /** Sentences. */
  readonly remarks: readonly string[];
  /** Whether a local time at which it fires is skipped within a year, so that `dstGap` matters. */
  readonly fallsIntoGap: boolean;
}

const NONE: TriggerHints = { remarks: [], fallsIntoGap: false };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LOOK_AHEAD_DAYS = 370;
/** Enough for every minute around a change of the offset. */
const MOST_FIRES = 3_000;

/** Finds out what is easily overlooked, by the parser of the store itself; of what it refuses, nothing. */
export function hintsFor(trigger: Trigger): TriggerHints {
  if (trigger.kind !== 'cron') {
    return NONE;
  }
  try {
    const expression = expressionOf(trigger.expr);
    if (expression.kind !== 'calendar') {
      return NONE;
    }
    const days = expression.unitesDays
      ? [
          'Day of month and day of week are both restricted: it fires on days that match either of them, as in every cron, not only on those that match both.',
        ]
      : [];
    return expression.restrictsHour
      ? withDaylightSaving(trigger, days)
      : { remarks: days, fallsIntoGap: false };
  } catch {
    return NONE;
  }
}

function withDaylightSaving(trigger: CronTrigger, remarks: readonly string[]): TriggerHints {
  const zone = trigger.timezone ?? 'UTC';
  const changes = offsetChanges(zone);
  const gap = changes.filter(({ shiftMs }) => shiftMs > 0).find((change) => skipsAt(trigger, change));
  const repeated = changes.filter(({ shiftMs }) => shiftMs < 0).find((change) => repeatsAt(trigger, change));
  return {
    fallsIntoGap: gap !== undefined,
    remarks: [
      ...remarks,
      ...(gap === undefined
        ? []
        : [
            `Clocks in ${zone} go forward on ${zonedText(gap.atUnixMs, zone)}: a local time at which it should fire is left out then${trigger.dstGap === 'run_after' ? ', and made up for right after the gap' : ''}.`,
          ]),
      ...(repeated === undefined
        ? []
        : [
            `Clocks in ${zone} go back on ${zonedText(repeated.atUnixMs, zone)}: a local time that comes twice then fires once, the first time.`,
          ]),
    ],
  };
}

interface OffsetChange {
  readonly atUnixMs: number;
  /** Positive where clocks go forward. */
  readonly shiftMs: number;
}

/** When clocks change within a year. */
function offsetChanges(zone: string): readonly OffsetChange[] {
  const start = Math.floor(storeNow() / HOUR) * HOUR;
  const changes: OffsetChange[] = [];
  let before = offsetAt(zone, start);
  for (let day = 1; day <= LOOK_AHEAD_DAYS; day += 1) {
    const at = start + day * DAY;
    const offset = offsetAt(zone, at);
    if (offset !== before) {
      changes.push({ atUnixMs: changeBetween(zone, at - DAY, at), shiftMs: offset - before });
      before = offset;
    }
  }
  return changes;
}

/** The first instant of the new offset, to the minute. */
function changeBetween(zone: string, from: number, to: number): number {
  const former = offsetAt(zone, from);
  let low = from;
  let high = to;
  while (high - low > 60_000) {
    const middle = Math.floor((low + high) / 2 / 60_000) * 60_000;
    if (middle <= low) {
      break;
    }
    if (offsetAt(zone, middle) === former) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(zone: string, unixMs: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  const parts = new Map(format.formatToParts(unixMs).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(unixMs / 1_000) * 1_000;
}

function skipsAt(trigger: CronTrigger, change: OffsetChange): boolean {
  const skipping = firesAround({ ...trigger, dstGap: 'skip' }, change);
  const running = firesAround({ ...trigger, dstGap: 'run_after' }, change);
  return running.length > skipping.length;
}

/** Whether it fires at a local time that comes again after the change. */
function repeatsAt(trigger: CronTrigger, { atUnixMs, shiftMs }: OffsetChange): boolean {
  const fires = nextFires(trigger, { after: atUnixMs + shiftMs - 1, endsAt: atUnixMs - 1, count: 1 });
  return fires.length > 0;
}

function firesAround(trigger: CronTrigger, { atUnixMs }: OffsetChange): readonly number[] {
  return nextFires(trigger, { after: atUnixMs - HOUR, endsAt: atUnixMs + HOUR, count: MOST_FIRES });
}
