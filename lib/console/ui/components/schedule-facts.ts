import type { ListedSchedule } from '../api/answers.js';
import { dateTimeText, durationText, optionalDateTimeText } from './texts.js';

type Fact = readonly [string, string | undefined];

/** The definition of a schedule, in words. */
export function scheduleFacts(schedule: ListedSchedule): readonly Fact[] {
  const { retry, backfillLimit } = schedule;
  return [
    ['Job', schedule.jobName],
    ['Expression', schedule.expr],
    ['Time zone', schedule.kind === 'cron' ? (schedule.timezone ?? 'UTC') : undefined],
    ['Skipped local times', schedule.dstGap === 'run_after' ? 'run after the gap' : undefined],
    ['Every', schedule.everyMs === undefined ? undefined : durationText(schedule.everyMs)],
    ['Starts', optionalDateTimeText(schedule.startsAtUnixMs)],
    ['Ends', optionalDateTimeText(schedule.endsAtUnixMs)],
    [
      'When late',
      `${schedule.misfirePolicy}${backfillLimit === undefined ? '' : `, up to ${backfillLimit}`}`,
    ],
    ['When still running', schedule.concurrencyPolicy],
    ['After a crash', schedule.recover ? 'fired again' : 'not fired again'],
    ['Retries', retry === undefined ? 'none' : `up to ${retry.maxAttempts} attempts`],
    ['Timeout', schedule.timeoutMs === 0 ? 'the default' : durationText(schedule.timeoutMs)],
    ['Last fire', optionalDateTimeText(schedule.lastFireAtUnixMs)],
    ['Created', `${dateTimeText(schedule.createdAtUnixMs)} by ${schedule.createdBy}`],
    [
      'Changed',
      `${dateTimeText(schedule.updatedAtUnixMs)} by ${schedule.updatedBy}, version ${schedule.version}`,
    ],
  ];
}
