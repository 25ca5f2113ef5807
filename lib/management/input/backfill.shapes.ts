import { integer, required, text, type Shape } from './field.js';
import { scheduleNameShape } from './schedule.shapes.js';

/** A past range of a schedule. */
export const backfillRangeShape = {
  ...scheduleNameShape,
  fromUnixMs: required(
    integer({ description: 'First instant of the range, inclusive.', example: 1_700_000_000_000 }),
  ),
  toUnixMs: required(
    integer({
      description: 'Last instant of the range, inclusive; not in the future.',
      example: 1_750_000_000_000,
    }),
  ),
} satisfies Shape;

/** Names a backfill of a schedule. */
export const backfillIdShape = {
  ...scheduleNameShape,
  id: required(text({ description: 'The backfill, by its id.', format: 'uuid' })),
} satisfies Shape;
