import {
  triggerOf,
  type Fields,
  type RemovableField,
  type Schedule,
  type ScheduleSpec,
} from '../../schedules/index.js';

/** The specification that a stored schedule amounts to, as a base for changes. */
function specOf(schedule: Schedule): ScheduleSpec {
  return {
    name: schedule.name,
    jobName: schedule.jobName,
    trigger: triggerOf(schedule),
    ...(schedule.params === undefined ? {} : { params: schedule.params }),
    ...(schedule.startsAtUnixMs === undefined ? {} : { startsAt: schedule.startsAtUnixMs }),
    ...(schedule.endsAtUnixMs === undefined ? {} : { endsAt: schedule.endsAtUnixMs }),
    misfirePolicy: schedule.misfirePolicy,
    ...(schedule.backfillLimit === undefined ? {} : { backfillLimit: schedule.backfillLimit }),
    concurrencyPolicy: schedule.concurrencyPolicy,
    recover: schedule.recover,
    ...(schedule.retry === undefined ? {} : { retry: schedule.retry }),
    timeout: schedule.timeoutMs,
    enabled: schedule.isEnabled,
  };
}

/** Applies changes: what is undefined stays, `null` removes a bound of the window. Nothing is validated yet. */
export function patchedSpec(schedule: Schedule, patch: Fields): Fields {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const { misfirePolicy = schedule.misfirePolicy } = patch;
  return {
    ...specOf(schedule),
    // Another policy takes the limit of the backfill with it; the same one, restated, does not.
    ...(misfirePolicy === schedule.misfirePolicy ? {} : { backfillLimit: undefined }),
    ...Object.fromEntries(
      given.map(([field, value]) => [field, isRemoved(field, value) ? undefined : value]),
    ),
  };
}

const REMOVABLE_FIELDS: readonly RemovableField[] = ['startsAt', 'endsAt', 'backfillLimit', 'retry'];

function isRemoved(field: string, value: unknown): boolean {
  return value === null && REMOVABLE_FIELDS.some((removable) => removable === field);
}
