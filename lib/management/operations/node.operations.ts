import { NODE_SORT_FIELDS } from '../../storage/index.js';
import { permission } from '../access/requirement.js';
import { nodeSearchShape } from '../input/node.shapes.js';
import { nodeSchema, pageSchema } from './answers.js';
import { pagedOperation, type Operation } from './operation.js';

/** Everything that can be done with nodes. */
export const NODE_OPERATIONS: readonly Operation[] = [
  pagedOperation({
    resource: 'sys/cron/node',
    requires: permission('cron.schedule.query'),
    action: 'find_page',
    params: nodeSearchShape,
    sortFields: NODE_SORT_FIELDS,
    handle: ({ nodes }, params, page) => nodes.findPage(params, page),
    documentation: {
      summary: 'Finds nodes page by page, the newest start first; those that died are shown for a day.',
      data: pageSchema(nodeSchema),
      errors: [2706],
      examples: [
        { summary: 'All of them', code: 0 },
        {
          summary: 'Those that can execute a job',
          params: { isAlive: true, jobName: 'daily-report' },
          meta: { sort: { field: 'host' } },
          code: 0,
        },
      ],
    },
  }),
];
