import { occurrencesOf, type Occurrences, type OccurrenceWindow, type Trigger } from '../triggers/index.js';
import type { ScheduleTiming } from './schedule-definition.js';
import type { Schedule } from './schedule.js';

/** The stored columns from which a schedule's occurrences follow. */
export type StoredTiming = Pick<
  Schedule,
  | 'kind'
  | 'expr'
  | 'timezone'
  | 'dstGap'
  | 'everyMs'
  | 'fireAtUnixMs'
  | 'startsAtUnixMs'
  | 'endsAtUnixMs'
  | 'anchorAtUnixMs'
>;

/** The trigger of a stored schedule, as untrusted as any row: whoever evaluates it finds out whether it is one. */
export function triggerOf(stored: StoredTiming): Trigger {
  switch (stored.kind) {
    case 'cron':
      return {
        kind: 'cron',
        expr: stored.expr ?? '',
        ...(stored.timezone === undefined ? {} : { timezone: stored.timezone }),
        ...(stored.dstGap === undefined ? {} : { dstGap: stored.dstGap }),
      };
    case 'interval':
      return { kind: 'interval', everyMs: stored.everyMs ?? Number.NaN };
    case 'once':
      return { kind: 'once', atUnixMs: stored.fireAtUnixMs ?? Number.NaN };
  }
}

/**
 * The occurrences of a stored schedule.
 *
 * @throws TriggerInvalidError when the row holds no valid trigger.
 */
export function occurrencesOfSchedule(stored: StoredTiming): Occurrences {
  return occurrencesOf(triggerOf(stored), windowOf(stored, stored.anchorAtUnixMs));
}

/** The occurrences of a definition whose phase is anchored at `anchorAtUnixMs`. */
export function occurrencesOfTiming(timing: ScheduleTiming, anchorAtUnixMs: number): Occurrences {
  return occurrencesOf(timing.trigger, windowOf(timing, anchorAtUnixMs));
}

function windowOf(
  { startsAtUnixMs, endsAtUnixMs }: Pick<ScheduleTiming, 'startsAtUnixMs' | 'endsAtUnixMs'>,
  anchor: number,
): OccurrenceWindow {
  return { anchor, startsAt: startsAtUnixMs, endsAt: endsAtUnixMs };
}
