import { SIGNED_IN } from '../access/requirement.js';
import { accessShape } from '../input/access.shapes.js';
import { accessSchema } from './answers.js';
import { EXAMPLE_SCHEDULE } from './example.js';
import { operation, type Operation } from './operation.js';

/** What everybody who is signed in may ask. */
export const ACCESS_OPERATIONS: readonly Operation[] = [
  operation({
    resource: 'sys/cron/access',
    requires: SIGNED_IN,
    action: 'get',
    mutates: false,
    params: accessShape,
    handle: ({ access }, params, { actor }, request) => access.get(params, actor, request),
    documentation: {
      summary: 'Tells who makes the request, which actions they may use, and the time of the store.',
      data: accessSchema,
      errors: [],
      examples: [
        { summary: 'About all schedules', code: 0 },
        { summary: 'About one', params: { scheduleName: EXAMPLE_SCHEDULE }, code: 0 },
      ],
    },
  }),
];
