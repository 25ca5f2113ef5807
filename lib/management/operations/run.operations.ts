import { RUN_SORT_FIELDS } from '../../storage/index.js';
import { oneRunShape, runSearchShape } from '../input/run.shapes.js';
import { pageSchema, runSchema } from './answers.js';
import { EXAMPLE_RUN_ID, EXAMPLE_SCHEDULE } from './example.js';
import { operation, pagedOperation, type Operation } from './operation.js';

const query = { resource: 'sys/cron/run', permission: 'cron.run.query' } as const;

/** Everything that can be done with the journal. */
export const RUN_OPERATIONS: readonly Operation[] = [
  pagedOperation({
    ...query,
    action: 'find_page',
    params: runSearchShape,
    sortFields: RUN_SORT_FIELDS,
    handle: ({ runs }, params, page) => runs.findPage(params, page),
    documentation: {
      summary: 'Finds runs page by page, the newest claim first, with their errors shortened.',
      data: pageSchema(runSchema),
      errors: [2706],
      examples: [
        { summary: 'The newest', code: 0 },
        {
          summary: 'What failed of a schedule within a time',
          params: {
            scheduleName: EXAMPLE_SCHEDULE,
            status: 'failed',
            scheduledAtFromUnixMs: 1_750_000_000_000,
            scheduledAtToUnixMs: 1_760_000_000_000,
          },
          meta: { page: 1, size: 100 },
          code: 0,
        },
        { summary: 'A status that there is not', params: { status: 'lost' }, code: 2706 },
      ],
    },
  }),
  operation({
    ...query,
    mutates: false,
    action: 'find_one',
    params: oneRunShape,
    targetOf: ({ runs }, params) => runs.targetOf(params),
    handle: ({ runs }, params) => runs.findOne(params),
    documentation: {
      summary: 'Reads one run with all of its error.',
      data: runSchema,
      errors: [2001, 2706],
      examples: [
        { summary: 'A run', params: { id: EXAMPLE_RUN_ID }, code: 0 },
        { summary: 'A run that there is not', params: { id: 'none' }, code: 2001 },
      ],
    },
  }),
];
