import {
  CONCURRENCY_POLICIES,
  MAX_BACKFILL_LIMIT,
  MAX_RETRY_ATTEMPTS,
  MAX_RETRY_FACTOR,
  MISFIRE_POLICIES,
  RETRY_DEFAULTS,
} from '../../schedules/index.js';
import { DST_GAPS, MIN_INTERVAL_MS, TRIGGER_KINDS } from '../../triggers/index.js';
import { anyJson, flag, integer, nullable, number, record, required, text, type Shape } from './field.js';

const name = required(text({ description: "The schedule's unique name.", example: 'nightly-report' }));

const newName = text({ description: 'Renames the schedule.', example: 'nightly-report-eu' });

const expectedVersion = integer({
  description: 'The version that was read; when the schedule has another one by now, nothing changes (2707).',
  example: 1,
});

const trigger = record(
  {
    kind: text({
      description: 'What else there must be.',
      enum: [...TRIGGER_KINDS],
      example: 'cron',
    }),
    expr: text({
      description: 'Only for cron: five fields, six with leading seconds, or a descriptor such as @daily.',
      example: '0 2 * * *',
    }),
    timezone: text({
      description: 'Only for cron: the IANA time zone of the expression; empty or absent is UTC.',
      example: 'Asia/Shanghai',
    }),
    dstGap: text({
      description: 'Only for cron: what becomes of a local time that daylight saving skips.',
      enum: [...DST_GAPS],
      default: 'skip',
    }),
    everyMs: integer({
      description: 'Only for interval: the rate in milliseconds.',
      minimum: MIN_INTERVAL_MS,
    }),
    atUnixMs: integer({ description: 'Only for once: the instant in Unix milliseconds.' }),
  },
  {
    description: 'When to fire: exactly the fields of its kind.',
    example: { kind: 'cron', expr: '0 2 * * *', timezone: 'Asia/Shanghai' },
  },
);

const jobName = text({ description: 'The job handler to execute.', example: 'daily-report' });

const startsAtUnixMs = integer({
  description: 'First instant that may fire, in Unix milliseconds; also the phase of an interval.',
});

const endsAtUnixMs = integer({ description: 'Last instant that may fire, after the first.' });

const backfillLimit = integer({
  description:
    'With the policy backfill: how many of the most recent missed occurrences fire. Default: every one.',
  minimum: 1,
  maximum: MAX_BACKFILL_LIMIT,
});

const retry = record(
  {
    maxAttempts: integer({
      description: 'Attempts of one fire in all; must be given.',
      minimum: 1,
      maximum: MAX_RETRY_ATTEMPTS,
    }),
    backoffMs: integer({
      description: 'Wait before the second attempt.',
      minimum: 0,
      default: RETRY_DEFAULTS.backoffMs,
    }),
    factor: number({
      description: 'By what the wait grows.',
      minimum: 1,
      maximum: MAX_RETRY_FACTOR,
      default: RETRY_DEFAULTS.factor,
    }),
    maxBackoffMs: integer({ description: 'Longest wait.', minimum: 0, default: RETRY_DEFAULTS.maxBackoffMs }),
  },
  { description: 'How failed runs are tried again. Default: not at all.', example: { maxAttempts: 3 } },
);

/** What a schedule consists of beside its name, its job, its trigger and what a patch can remove. */
const settings = {
  params: anyJson({
    description: 'Delivered to the handler as given: up to 1 MiB of JSON, 100 levels deep.',
    example: { region: 'eu' },
  }),
  misfirePolicy: text({
    description: 'What becomes of occurrences that are late.',
    enum: [...MISFIRE_POLICIES],
    default: 'fire_now',
  }),
  concurrencyPolicy: text({
    description: 'Whether runs of the schedule may overlap.',
    enum: [...CONCURRENCY_POLICIES],
    default: 'forbid',
  }),
  recover: flag({
    description: 'Fire again what did not complete; the handler must be idempotent.',
    default: false,
  }),
  timeoutMs: integer({
    description: 'Bound of one run in milliseconds; 0 inherits the default.',
    minimum: 0,
    default: 0,
  }),
  enabled: flag({ description: 'Whether it fires.', default: true }),
} satisfies Shape;

const definition = {
  jobName: required(jobName),
  trigger: required(trigger),
  startsAtUnixMs,
  endsAtUnixMs,
  backfillLimit,
  retry,
  ...settings,
} satisfies Shape;

/** Names a schedule. */
export const scheduleNameShape = { name } satisfies Shape;

/** Names a schedule to pause. */
export const pauseScheduleShape = {
  name,
  note: text({ description: 'Why, up to 500 characters.', example: 'The warehouse is being moved.' }),
  untilUnixMs: integer({
    description: 'When the pause ends by itself. Default: when the schedule is resumed.',
  }),
} satisfies Shape;

/** Names a schedule to fire now. */
export const triggerNowShape = {
  name,
  idempotencyKey: text({
    description: 'Makes a repeated request return the first one; up to 500 characters.',
    example: 'ticket-4711',
  }),
  params: anyJson({
    description: "Params for this fire alone. Default: the schedule's.",
    example: { region: 'us' },
  }),
  evenIfPaused: flag({ description: 'Fire also while the schedule is paused.', default: false }),
} satisfies Shape;

/** Names a schedule to delete. */
export const deleteScheduleShape = { name, expectedVersion } satisfies Shape;

/** A new schedule. */
export const createScheduleShape = { name, ...definition } satisfies Shape;

/** A schedule's whole new definition. */
export const updateScheduleShape = { name, newName, ...definition, expectedVersion } satisfies Shape;

/** Some of a schedule; `null` removes what is optional. */
export const patchScheduleShape = {
  name,
  newName,
  jobName,
  trigger,
  startsAtUnixMs: nullable(startsAtUnixMs),
  endsAtUnixMs: nullable(endsAtUnixMs),
  backfillLimit: nullable(backfillLimit),
  retry: nullable(retry),
  ...settings,
  expectedVersion,
} satisfies Shape;

/** A trigger that is not saved yet. */
export const previewFiresShape = {
  trigger: required(trigger),
  startsAtUnixMs,
  endsAtUnixMs,
} satisfies Shape;

/** Which schedules to find. */
export const scheduleSearchShape = {
  name: text({ description: 'Part of the name, literally.', example: 'report' }),
  jobName: text({ description: 'The job, exactly.' }),
  kind: text({ description: 'The kind of trigger.', enum: [...TRIGGER_KINDS] }),
  isEnabled: flag({ description: 'Whether it is enabled.' }),
  orphaned: flag({ description: 'Whether no live node registers its job.' }),
  late: flag({
    description:
      'true: only those that are overdue by more than misfireThreshold, and neither paused nor parked; held ones are among them.',
  }),
} satisfies Shape;
