import { integer, list, required, text, type Shape } from './field.js';

/** Fewest and most bounds of intervals to count in. */
export const BOUNDS_LIMIT = { least: 2, most: 1_001 } as const;

/** Fewest, most and default runs of each schedule, and most schedules. */
export const LATEST_LIMIT = { least: 1, most: 50, byDefault: 20, schedules: 200 } as const;

/** Fewest, most and default schedules that are looked ahead for. */
export const UPCOMING_LIMIT = { least: 1, most: 200, byDefault: 50 } as const;

/** Which runs to count, and between which instants. */
export const runCountShape = {
  boundsUnixMs: required(
    list(integer({ description: 'An instant.' }), {
      description: 'Ascending instants: runs are counted between neighbours, the first of them inclusive.',
      minItems: BOUNDS_LIMIT.least,
      maxItems: BOUNDS_LIMIT.most,
      example: [1_893_456_000_000, 1_893_459_600_000],
    }),
  ),
  scheduleId: text({ description: 'Only runs of this schedule, by its id.', format: 'uuid' }),
} satisfies Shape;

/** Of which schedules to find the latest runs. */
export const latestRunsShape = {
  scheduleIds: required(
    list(text({ description: 'The id of a schedule.', format: 'uuid' }), {
      description: 'The schedules, by their ids.',
      maxItems: LATEST_LIMIT.schedules,
    }),
  ),
  limit: integer({
    description: 'Most runs of each schedule.',
    minimum: LATEST_LIMIT.least,
    maximum: LATEST_LIMIT.most,
    default: LATEST_LIMIT.byDefault,
  }),
} satisfies Shape;

/** How far to look ahead. */
export const upcomingShape = {
  untilUnixMs: required(integer({ description: 'The last instant to look at.' })),
  limit: integer({
    description: 'Most schedules of the answer.',
    minimum: UPCOMING_LIMIT.least,
    maximum: UPCOMING_LIMIT.most,
    default: UPCOMING_LIMIT.byDefault,
  }),
} satisfies Shape;
