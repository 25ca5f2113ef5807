import { integer, text, type Shape } from './field.js';

/** Names what is held. */
export const holdTargetShape = {
  jobName: text({
    description: 'The job. Absent: the whole store, which is a hold of its own.',
    example: 'daily-report',
  }),
} satisfies Shape;

/** What to hold, why, and until when. */
export const holdShape = {
  ...holdTargetShape,
  note: text({ description: 'Why, up to 500 characters.', example: 'The warehouse is being moved.' }),
  untilUnixMs: integer({ description: 'When the hold ends by itself. Default: when it is released.' }),
} satisfies Shape;
