import { describeTrigger } from '../../../triggers/description/describe-trigger.js';
import type { Trigger } from '../../../triggers/trigger.js';
import type { ListedSchedule } from '../api/answers.js';
import { dateTimeText } from './texts.js';

/** The trigger of a schedule, as it was given. */
export function triggerOf(schedule: ListedSchedule): Trigger {
  const { kind, expr = '', timezone, dstGap, everyMs = 0, fireAtUnixMs = 0 } = schedule;
  switch (kind) {
    case 'cron':
      return {
        kind,
        expr,
        ...(timezone === undefined ? {} : { timezone }),
        ...(dstGap === undefined ? {} : { dstGap }),
      };
    case 'interval':
      return { kind, everyMs };
    case 'once':
      return { kind, atUnixMs: fireAtUnixMs };
  }
}

/** A trigger in words; the expression itself where it has none. */
export function triggerText(trigger: Trigger): string {
  if (trigger.kind === 'once') {
    return `Once, ${dateTimeText(trigger.atUnixMs)}`;
  }
  try {
    return describeTrigger(trigger);
  } catch {
    return trigger.kind === 'cron' ? trigger.expr : `Every ${trigger.everyMs} ms`;
  }
}
