import { text, type Shape } from './field.js';

/** About what somebody wants to know what they may do. */
export const accessShape = {
  scheduleName: text({
    description: 'Asks about this schedule and its job. Default: about all schedules.',
    example: 'nightly-report',
  }),
} satisfies Shape;
