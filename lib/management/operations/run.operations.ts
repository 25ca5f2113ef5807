import { RUN_RESOURCE } from '../../manager/index.js';
import { RUN_SORT_FIELDS } from '../../storage/index.js';
import { permission } from '../access/requirement.js';
import { oneRunShape, rerunShape, runHistoryShape, runIdShape, runSearchShape } from '../input/run.shapes.js';
import { scheduleNameShape } from '../input/schedule.shapes.js';
import {
  cancelSchema,
  manualFireSchema,
  pageSchema,
  runHistorySchema,
  runSchema,
  runSummarySchema,
} from './answers.js';
import { EXAMPLE_RUN_ID, EXAMPLE_SCHEDULE } from './example.js';
import { operation, pagedOperation, type Operation } from './operation.js';

const query = { resource: RUN_RESOURCE, requires: permission('cron.run.query') } as const;

const manage = { resource: RUN_RESOURCE, requires: permission('cron.run.manage'), mutates: true } as const;

/** Everything that can be done with the journal and its runs. */
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
  operation({
    ...query,
    mutates: false,
    action: 'find_attempts',
    params: runIdShape,
    targetOf: ({ runs }, params) => runs.targetOf(params),
    handle: ({ runs }, params) => runs.findAttempts(params),
    documentation: {
      summary:
        'Finds a run with those that it repeats and those that repeat it, the oldest first, without errors.',
      data: { type: 'array', items: runSummarySchema },
      errors: [2001],
      examples: [
        { summary: 'Of a run', params: { id: EXAMPLE_RUN_ID }, code: 0 },
        { summary: 'Of a run that there is not', params: { id: 'none' }, code: 2001 },
      ],
    },
  }),
  operation({
    ...query,
    mutates: false,
    action: 'find_cursor',
    params: runHistoryShape,
    handle: ({ runs }, params) => runs.findCursor(params),
    documentation: {
      summary:
        'Walks through the whole journal from the newest claim back, without errors: nothing repeats or is left out while new runs arrive. A step may hold few runs, or none, and go on; the walk is over where there is no nextCursor.',
      data: runHistorySchema,
      errors: [2706],
      examples: [
        { summary: 'The newest', code: 0 },
        {
          summary: 'What timed out of a schedule',
          params: { scheduleName: EXAMPLE_SCHEDULE, reason: 'timeout', limit: 100 },
          code: 0,
        },
        { summary: 'On from a cursor', params: { cursor: 'AZcPLmwAcACAAAAAAAAAAQ' }, code: 0 },
        { summary: 'No cursor of ours', params: { cursor: 'next' }, code: 2706 },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'cancel',
    params: runIdShape,
    targetOf: ({ runControl }, params) => runControl.targetOf(params),
    handle: ({ runControl }, params, origin) => runControl.cancel(params, origin),
    documentation: {
      summary: 'Asks a running run to end, on whichever node executes it. It is not recovered.',
      data: cancelSchema,
      errors: [2001],
      examples: [
        { summary: 'A run', params: { id: EXAMPLE_RUN_ID }, code: 0 },
        { summary: 'A run that there is not', params: { id: 'none' }, code: 2001 },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'cancel_all',
    params: scheduleNameShape,
    targetOf: ({ schedules }, params) => schedules.targetOf(params),
    handle: ({ runControl }, params, origin) => runControl.cancelAll(params, origin),
    documentation: {
      summary: 'Asks every running run of a schedule to end.',
      data: cancelSchema,
      errors: [2700],
      examples: [{ summary: 'Of a schedule', params: { name: EXAMPLE_SCHEDULE }, code: 0 }],
    },
  }),
  operation({
    ...manage,
    action: 'rerun',
    params: rerunShape,
    targetOf: ({ runControl }, params) => runControl.targetOf(params),
    handle: ({ runControl }, params, origin) => runControl.rerun(params, origin),
    documentation: {
      summary: 'Repeats a run that was executed and is over, with its logical time and its params.',
      data: manualFireSchema,
      errors: [2001, 2700, 2702, 2706],
      examples: [
        { summary: 'A run', params: { id: EXAMPLE_RUN_ID }, code: 0 },
        { summary: 'A run that there is not', params: { id: 'none' }, code: 2001 },
      ],
    },
  }),
];
