import { RUN_SORT_FIELDS } from '../../storage/index.js';
import { oneRunShape, runSearchShape } from '../input/run.shapes.js';
import { pageSchema, runSchema } from './answers.js';
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
    },
  }),
  operation({
    ...query,
    mutates: false,
    action: 'find_one',
    params: oneRunShape,
    targetOf: (services, params) => services.runs.targetOf(params),
    handle: ({ runs }, params) => runs.findOne(params),
    documentation: { summary: 'Reads one run with all of its error.', data: runSchema, errors: [2001, 2706] },
  }),
];
